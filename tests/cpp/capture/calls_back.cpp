// A function with a frame of FRAME_SIZE bytes: instructions of the same length, whatever the size.
extern "C" int calls_back(int (*callback)(void*), void* data) {
  volatile char room[FRAME_SIZE + 256];
  room[0] = 1;
  room[FRAME_SIZE + 255] = 1;
  return callback(data) + room[0];
}
