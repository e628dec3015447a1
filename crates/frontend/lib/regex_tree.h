// A regular expression as a tree (regex.c, regex_syntax.c).
#pragma once
#include <regex.h>

enum kind
{
    BYTE,      // one byte of `count` ranges, the first of which is `first`
    ASSERTION, // nothing, where `first` holds
    LIST,      // its children, one after the other
    CHOICE,    // one of its children
    GROUP,     // its children, as subexpression number `first`
    ROUNDS     // its child, `first` to `count` times; -1: any number
};

enum { LINE_BEGINS, LINE_ENDS, TEXT_BEGINS, TEXT_ENDS, WORD_BEGINS, WORD_ENDS, WORD_EDGE, NO_WORD_EDGE };

struct node
{
    enum kind kind;
    int first, count;
    int child, next; // the first child, and the node beside this one; -1: none
};

struct range
{
    unsigned char low, high;
};

struct tree
{
    int flags; // of regcomp
    int sets;  // how many sets of positions a match needs at once
    struct node *nodes; // the root is the first
    struct range *ranges;
    int node_count, range_count;
};
