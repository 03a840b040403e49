import tensorlib
