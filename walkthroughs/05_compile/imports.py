import shapes
