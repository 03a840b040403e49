x = abs(int("-1500"))
