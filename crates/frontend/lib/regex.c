// Regular expressions in the locale "C", basic and extended, with what glibc adds: `\+`, `\?` and `\|` in basic ones, `\w`, `\W`,
// `\s`, `\S`, and the assertions of words. regex_syntax.c makes a tree of an expression, and here the tree is matched.
//
// A node takes a set of positions of the text to the set of positions at which it can end (`run`). So the leftmost match, and the
// longest one there, is the first position from which the tree ends somewhere, and the last of its ends. Which part of the match
// belongs to which subexpression is decided afterwards, from left to right, as glibc does: the first alternative is taken, and as many
// rounds as there can be, with which the match can come to its end. (POSIX asks for the longest alternative.) The time is a polynomial
// of the length of the text. An expression is only read here, so threads may match with the same one.
#define _GNU_SOURCE
#include "regex_tree.h"
#include <stdlib.h>
#include <string.h>

// A set of positions: `has[low]` to `has[high]` say which; no other byte of `has` is set.
struct set
{
    long low, high;
    unsigned char *has;
};

struct match
{
    const struct tree *tree;
    const unsigned char *text; // position 0
    long end;
    int flags;          // of regexec
    unsigned char *all; // the bytes of sets, `size` for each
    size_t size, used;
    regmatch_t *found;
    size_t room;
};

static struct set taken(struct match *match)
{
    struct set empty = {match->end + 1, -1, match->all + match->used};
    match->used += match->size;
    return empty;
}

static void clear(struct match *match, struct set *set)
{
    if (set->low <= set->high)
        memset(set->has + set->low, 0, (size_t)(set->high - set->low + 1));
    set->low = match->end + 1;
    set->high = -1;
}

// Sets are given back in the opposite order.
static void give_back(struct match *match, struct set *set)
{
    clear(match, set);
    match->used -= match->size;
}

static void add(struct set *set, long position)
{
    set->has[position] = 1;
    if (position < set->low)
        set->low = position;
    if (position > set->high)
        set->high = position;
}

static void add_all(struct set *to, const struct set *from)
{
    for (long i = from->low; i <= from->high; i++)
        if (from->has[i])
            add(to, i);
}

// Without branches: a symbolic byte makes no paths here.
static int has_byte(const struct tree *tree, const struct node *node, unsigned byte)
{
    int found = 0;
    for (int i = 0; i < node->count; i++) {
        struct range range = tree->ranges[node->first + i];
        found |= byte - range.low <= (unsigned)(range.high - range.low);
    }
    return found;
}

static int is_word(const struct match *match, long position)
{
    if (position < 0 || position >= match->end)
        return 0;
    unsigned c = match->text[position];
    return (c | 32) - 'a' < 26 || c - '0' < 10 || c == '_';
}

static int holds(const struct match *match, int what, long at)
{
    int by_line = match->tree->flags & REG_NEWLINE;
    int before = is_word(match, at - 1), here = is_word(match, at);
    switch (what) {
    case LINE_BEGINS:
        return (at == 0 && !(match->flags & REG_NOTBOL)) || (by_line && at > 0 && match->text[at - 1] == '\n');
    case LINE_ENDS:
        return (at == match->end && !(match->flags & REG_NOTEOL)) || (by_line && at < match->end && match->text[at] == '\n');
    case TEXT_BEGINS: return at == 0;
    case TEXT_ENDS: return at == match->end;
    case WORD_BEGINS: return !before && here;
    case WORD_ENDS: return before && !here;
    case WORD_EDGE: return before != here;
    default: return before == here;
    }
}

static void run(struct match *match, int at, const struct set *from, struct set *to);

// From the ends of `least` rounds of a node to those of `most` (-1: any number).
static void run_rounds(struct match *match, int body, int least, int most, const struct set *from, struct set *to)
{
    struct set now = taken(match), next = taken(match), seen = taken(match);
    add_all(&now, from);
    for (int round = 0; round < least && now.low <= now.high; round++) {
        run(match, body, &now, &next);
        struct set before = now;
        now = next;
        next = before;
        clear(match, &next);
    }
    add_all(&seen, &now);
    // A later round only goes on from where no earlier one was.
    for (int round = least; round != most && now.low <= now.high; round++) {
        run(match, body, &now, &next);
        clear(match, &now);
        for (long i = next.low; i <= next.high; i++)
            if (next.has[i] && !seen.has[i]) {
                add(&now, i);
                add(&seen, i);
            }
        clear(match, &next);
    }
    add_all(to, &seen);
    clear(match, &now), clear(match, &next), clear(match, &seen);
    match->used -= 3 * match->size;
}

// The ends of a node and of those beside it.
static void run_list(struct match *match, int at, const struct set *from, struct set *to)
{
    struct set here = taken(match), next = taken(match);
    add_all(&here, from);
    for (; at >= 0 && here.low <= here.high; at = match->tree->nodes[at].next) {
        run(match, at, &here, &next);
        struct set before = here;
        here = next;
        next = before;
        clear(match, &next);
    }
    add_all(to, &here);
    clear(match, &here), clear(match, &next);
    match->used -= 2 * match->size;
}

// Adds the ends of a node, from each of these positions.
static void run(struct match *match, int at, const struct set *from, struct set *to)
{
    const struct node *node = &match->tree->nodes[at];
    switch (node->kind) {
    case BYTE:
        for (long i = from->low; i <= from->high && i < match->end; i++)
            if (from->has[i] && has_byte(match->tree, node, match->text[i]))
                add(to, i + 1);
        break;
    case ASSERTION:
        for (long i = from->low; i <= from->high; i++)
            if (from->has[i] && holds(match, node->first, i))
                add(to, i);
        break;
    case LIST:
    case GROUP: run_list(match, node->child, from, to); break;
    case CHOICE:
        for (int child = node->child; child >= 0; child = match->tree->nodes[child].next)
            run(match, child, from, to);
        break;
    case ROUNDS: run_rounds(match, node->child, node->first, node->count, from, to); break;
    }
}

// ---- subexpressions

// What follows a node: the nodes beside it, the end of a subexpression, or further rounds.
struct after
{
    const struct after *next;
    enum { BESIDE, GROUP_ENDS, ROUND_ENDS } what;
    int node; // the first one beside it; the subexpression; the node with rounds
    long begin; // of the subexpression or round
    int least, most; // how many rounds are left
    int moves;       // the round must not be empty
};

// Whether what follows leads from one of these positions, which are given back, to the end of the match.
static int leads(struct match *match, const struct after *after, struct set *here, long to)
{
    struct set next = taken(match);
    for (; after && here->low <= here->high; after = after->next) {
        if (after->what == GROUP_ENDS)
            continue;
        if (after->what == BESIDE)
            run_list(match, after->node, here, &next);
        else {
            if (after->moves)
                here->has[after->begin] = 0;
            run_rounds(match, match->tree->nodes[after->node].child, after->least, after->most, here, &next);
        }
        struct set before = *here;
        *here = next;
        next = before;
        clear(match, &next);
    }
    int is_there = !after && here->has[to];
    clear(match, here), clear(match, &next);
    match->used -= 2 * match->size;
    return is_there;
}

// The same from the ends of a node.
static int node_leads(struct match *match, int at, const struct after *after, long from, long to)
{
    struct set ends = taken(match), start = taken(match);
    add(&start, from);
    run(match, at, &start, &ends);
    give_back(match, &start);
    return leads(match, after, &ends, to);
}

static void follow(struct match *match, int at, const struct after *after, long from, long to);

// The next round, or what follows the last one. A round is made if there can be one, and an empty one if there is no other.
static void follow_rounds(struct match *match, int at, int least, int most, int is_first, const struct after *after, long from, long to)
{
    int body = match->tree->nodes[at].child;
    struct after round = {after, ROUND_ENDS, at, from, least > 0 ? least - 1 : 0, most < 0 ? -1 : most - 1, 1};
    int again = most != 0 && node_leads(match, body, &round, from, to);
    if (!again && most != 0 && (least > 0 || is_first)) {
        round.moves = 0;
        again = node_leads(match, body, &round, from, to);
    }
    follow(match, again ? body : -1, again ? &round : after, from, to);
}

// Rounds without subexpressions take as much as what follows leaves.
static int is_plain(const struct tree *tree, int at)
{
    while (tree->nodes[at].kind == ROUNDS)
        at = tree->nodes[at].child;
    return tree->nodes[at].kind == BYTE || tree->nodes[at].kind == ASSERTION;
}

static long end_of_plain(struct match *match, int at, const struct after *after, long from, long to)
{
    unsigned char *ends = malloc(match->size);
    struct set start = taken(match), all = taken(match);
    add(&start, from);
    run(match, at, &start, &all);
    long end = all.high;
    memcpy(ends, all.has, match->size);
    give_back(match, &all), give_back(match, &start);
    for (;; end--) {
        struct set here = taken(match);
        if (ends[end] && end <= to)
            add(&here, end);
        if (leads(match, after, &here, to))
            break;
    }
    free(ends);
    return end;
}

// Says where the subexpressions of a node, of those beside it and of what follows are. As in glibc, the first alternative that leads to
// the end of the match is taken.
static void follow(struct match *match, int at, const struct after *after, long from, long to)
{
    while (at >= 0 || after) {
        if (at < 0) {
            struct after end = *after;
            after = end.next;
            if (end.what == BESIDE) {
                at = end.node;
            } else if (end.what == ROUND_ENDS) {
                follow_rounds(match, end.node, end.least, end.most, 0, after, from, to);
                return;
            } else if ((size_t)end.node < match->room) {
                match->found[end.node] = (regmatch_t){(regoff_t)end.begin, (regoff_t)from};
            }
            continue;
        }
        const struct node *node = &match->tree->nodes[at];
        struct after beside = {after, BESIDE, node->next, 0, 0, 0, 0}, group = {&beside, GROUP_ENDS, node->first, from, 0, 0, 0};
        int child = node->child;
        switch (node->kind) {
        case BYTE:
        case ASSERTION:
            from += node->kind == BYTE;
            at = node->next;
            continue;
        case GROUP: follow(match, child, &group, from, to); return;
        case LIST: follow(match, child, &beside, from, to); return;
        case CHOICE:
            while (!node_leads(match, child, &beside, from, to))
                child = match->tree->nodes[child].next;
            follow(match, match->tree->nodes[child].child, &beside, from, to);
            return;
        case ROUNDS:
            if (is_plain(match->tree, at)) {
                from = end_of_plain(match, at, &beside, from, to);
                at = node->next;
                continue;
            }
            follow_rounds(match, at, node->first, node->count, 1, &beside, from, to);
            return;
        }
    }
}

static int matched(struct match *match)
{
    for (long from = 0; from <= match->end; from++) {
        struct set start = taken(match), ends = taken(match);
        add(&start, from);
        run(match, 0, &start, &ends);
        long to = ends.high;
        give_back(match, &ends), give_back(match, &start);
        if (to < 0)
            continue;
        if (match->room > 0)
            match->found[0] = (regmatch_t){(regoff_t)from, (regoff_t)to};
        if (match->room > 1)
            follow(match, 0, NULL, from, to);
        return 1;
    }
    return 0;
}

int regexec(const regex_t *restrict expression, const char *restrict text, size_t room, regmatch_t *restrict found, int flags)
{
    const struct tree *tree = (const struct tree *)(const void *)expression->buffer;
    if (flags & ~(REG_NOTBOL | REG_NOTEOL | REG_STARTEND))
        return REG_BADPAT;
    regoff_t begin = flags & REG_STARTEND ? found[0].rm_so : 0;
    if (tree->flags & REG_NOSUB)
        room = 0;
    struct match match = {.tree = tree, .text = (const unsigned char *)text + begin, .flags = flags, .found = found, .room = room};
    match.end = flags & REG_STARTEND ? found[0].rm_eo - begin : (long)strlen(text);
    match.size = (size_t)match.end + 1;
    match.all = calloc((size_t)tree->sets, match.size);
    if (!match.all)
        return REG_ESPACE;
    // Later ones are of no subexpression.
    for (size_t i = 0; i < room; i++)
        found[i] = (regmatch_t){-1, -1};
    int is_found = matched(&match);
    free(match.all);
    for (size_t i = 0; is_found && i < room && begin; i++)
        if (found[i].rm_so >= 0)
            found[i] = (regmatch_t){found[i].rm_so + begin, found[i].rm_eo + begin};
    return is_found ? 0 : REG_NOMATCH;
}

void regfree(regex_t *expression)
{
    struct tree *tree = (struct tree *)(void *)expression->buffer;
    if (tree) {
        free(tree->nodes);
        free(tree->ranges);
        free(tree);
    }
    expression->buffer = NULL;
}

size_t regerror(int error, const regex_t *restrict expression, char *restrict to, size_t room)
{
    static const char *const texts[] = {"Success", "No match", "Invalid regular expression", "Invalid collation character",
        "Invalid character class name", "Trailing backslash", "Invalid back reference", "Unmatched [, [^, [:, [., or [=",
        "Unmatched ( or \\(", "Unmatched \\{", "Invalid content of \\{\\}", "Invalid range end", "Memory exhausted",
        "Invalid preceding regular expression", "Premature end of regular expression", "Regular expression too big",
        "Unmatched ) or \\)"};
    (void)expression;
    if (error < 0 || (size_t)error >= sizeof texts / sizeof *texts)
        abort();
    size_t size = strlen(texts[error]) + 1;
    if (room > 0) {
        size_t copied = size < room ? size : room;
        memcpy(to, texts[error], copied - 1);
        to[copied - 1] = 0;
    }
    return size;
}
