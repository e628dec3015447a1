// Pipes, descriptors, streams, a file that grows.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int ends[2];
static FILE *log_file;
static void *work(void *argument) {
  char byte = (char)(long)argument;
  int fd = open("made", O_CREAT | O_RDWR, 0600);
  fputc(byte, log_file);
  write(ends[1], &byte, 1);
  close(fd);
  return argument;
}
int main(void) {
  pthread_t a, b;
  char text[2] = {0, 0};
  pipe(ends);
  log_file = fopen("log", "w+");
  pthread_create(&a, 0, work, (void *)'a');
  pthread_create(&b, 0, work, (void *)'b');
  read(ends[0], text, 1);
  read(ends[0], text + 1, 1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  rewind(log_file);
  return text[0] + fgetc(log_file);
}
