// insque and remque of <search.h>: doubly linked lists of elements that begin with their two links.

struct element {
    struct element *next, *previous;
};

void insque(void *new_element, void *after)
{
    struct element *element = new_element, *previous = after;
    element->previous = previous;
    if (!previous) {
        element->next = 0;
        return;
    }
    element->next = previous->next;
    previous->next = element;
    if (element->next)
        element->next->previous = element;
}

void remque(void *old_element)
{
    struct element *element = old_element;
    if (element->next)
        element->next->previous = element->previous;
    if (element->previous)
        element->previous->next = element->next;
}
