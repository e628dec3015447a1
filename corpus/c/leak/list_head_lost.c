// Removing the first element of a list forgets it; the others are freed.
// options: --property memory,leak
#include <stdlib.h>

struct element {
    struct element *next;
    int number;
};
static struct element *head;

static void push(int number)
{
    struct element *element = malloc(sizeof *element); // expect: memory.leak
    element->next = head;
    element->number = number;
    head = element;
}

int main(void)
{
    push(1);
    push(2);
    push(3);
    head = head->next;
    while (head) {
        struct element *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
