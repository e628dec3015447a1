// What a thread has of the processor for itself.

// The block that the register fs points to begins with its own address. Nothing else of it is modelled.
static _Thread_local void *block;

void *__selvedge_thread_pointer(void)
{
    block = &block;
    return &block;
}
