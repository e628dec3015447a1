// The program never forks (fork is unsupported), so what is registered for it never runs.

typedef void handler(void);

int pthread_atfork(handler *prepare, handler *parent, handler *child)
{
    (void)prepare, (void)parent, (void)child;
    return 0;
}
