// The syntax of regular expressions: regcomp. It accepts what glibc accepts, and refuses the rest with the same errors.
#define _GNU_SOURCE
#include "regex_tree.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void __selvedge_unsupported(const char *what);

#define MOST_ROUNDS 0x7fff

enum token
{
    END,
    LITERAL,
    ANY,
    BRACKET,
    OPEN,
    CLOSE,
    OR,
    STAR,
    PLUS,
    QUESTION,
    BRACE,
    CLOSING_BRACE,
    ASSERTS,
    WORD_BYTE,
    SPACE_BYTE,
    REFERENCE,
    LONE_BACKSLASH
};

struct parser
{
    struct tree *tree;
    const unsigned char *begin, *at;
    int extended, folds;
    int error;
    int groups;
    unsigned closed; // which subexpressions have ended
    enum token token;
    int value, inverted; // of the token
};

// ---- the tree

static int made(struct parser *parser, enum kind kind, int first, int count)
{
    struct tree *tree = parser->tree;
    if ((tree->node_count & (tree->node_count - 1)) == 0) {
        size_t room = tree->node_count ? 2 * (size_t)tree->node_count : 1;
        struct node *nodes = realloc(tree->nodes, room * sizeof *nodes);
        if (!nodes) {
            parser->error = REG_ESPACE;
            return 0;
        }
        tree->nodes = nodes;
    }
    tree->nodes[tree->node_count] = (struct node){kind, first, count, -1, -1};
    return tree->node_count++;
}

// The last child that was added to a node is kept by the caller, and -1 at first.
static void append(struct parser *parser, int parent, int *last, int child)
{
    if (*last < 0)
        parser->tree->nodes[parent].child = child;
    else
        parser->tree->nodes[*last].next = child;
    *last = child;
}

// A node of the bytes for which `has` says so.
static int made_set(struct parser *parser, const char has[256])
{
    struct tree *tree = parser->tree;
    int first = tree->range_count;
    for (int low = 0; low < 256; low++) {
        if (!has[low])
            continue;
        int high = low;
        while (high < 255 && has[high + 1])
            high++;
        if ((tree->range_count & (tree->range_count - 1)) == 0) {
            size_t room = tree->range_count ? 2 * (size_t)tree->range_count : 1;
            struct range *ranges = realloc(tree->ranges, room * sizeof *ranges);
            if (!ranges) {
                parser->error = REG_ESPACE;
                return 0;
            }
            tree->ranges = ranges;
        }
        tree->ranges[tree->range_count++] = (struct range){(unsigned char)low, (unsigned char)high};
        low = high;
    }
    return made(parser, BYTE, first, tree->range_count - first);
}

static int made_literal(struct parser *parser, int byte)
{
    char has[256] = {0};
    has[byte] = 1;
    if (parser->folds)
        has[tolower(byte)] = has[toupper(byte)] = 1;
    return made_set(parser, has);
}

static int made_any(struct parser *parser)
{
    char has[256];
    memset(has, 1, sizeof has);
    has['\n'] = !(parser->tree->flags & REG_NEWLINE);
    return made_set(parser, has);
}

static int made_class(struct parser *parser, int (*is)(int), int or_underscore, int inverted)
{
    char has[256];
    for (int i = 0; i < 256; i++)
        has[i] = (is(i) || (or_underscore && i == '_')) != inverted;
    return made_set(parser, has);
}

// ---- tokens

static void escaped(struct parser *parser)
{
    static const char edges[] = "`'<>bB";
    static const int what[] = {TEXT_BEGINS, TEXT_ENDS, WORD_BEGINS, WORD_ENDS, WORD_EDGE, NO_WORD_EDGE};
    int byte = *parser->at;
    if (!byte) {
        parser->token = LONE_BACKSLASH;
        return;
    }
    parser->at++;
    parser->token = LITERAL;
    parser->value = byte;
    const char *edge = strchr(edges, byte);
    if (edge) {
        parser->token = ASSERTS;
        parser->value = what[edge - edges];
    } else if (byte >= '1' && byte <= '9') {
        parser->token = REFERENCE;
    } else if (byte == 'w' || byte == 'W') {
        parser->token = WORD_BYTE;
        parser->inverted = byte == 'W';
    } else if (byte == 's' || byte == 'S') {
        parser->token = SPACE_BYTE;
        parser->inverted = byte == 'S';
    } else if (!parser->extended) {
        static const char operators[] = "(){}|+?";
        static const enum token tokens[] = {OPEN, CLOSE, BRACE, CLOSING_BRACE, OR, PLUS, QUESTION};
        const char *operator = strchr(operators, byte);
        if (operator)
            parser->token = tokens[operator - operators];
    }
}

// Whether what follows ends a branch, so that a dollar sign before it is an anchor.
static int ends_branch(const unsigned char *at) { return !*at || (at[0] == '\\' && (at[1] == ')' || at[1] == '|')); }

// Reads a token. `starts`: a circumflex here is an anchor.
static void next(struct parser *parser, int starts)
{
    int first = parser->at == parser->begin, byte = *parser->at;
    parser->token = END;
    if (!byte)
        return;
    parser->at++;
    parser->token = LITERAL;
    parser->value = byte;
    switch (byte) {
    case '\\': escaped(parser); return;
    case '[': parser->token = BRACKET; return;
    case '.': parser->token = ANY; return;
    case '*': parser->token = STAR; return;
    case '^':
        if (parser->extended || first || starts) {
            parser->token = ASSERTS;
            parser->value = LINE_BEGINS;
        }
        return;
    case '$':
        if (parser->extended || ends_branch(parser->at)) {
            parser->token = ASSERTS;
            parser->value = LINE_ENDS;
        }
        return;
    }
    if (!parser->extended)
        return;
    static const char operators[] = "(){}|+?";
    static const enum token tokens[] = {OPEN, CLOSE, BRACE, CLOSING_BRACE, OR, PLUS, QUESTION};
    const char *operator = strchr(operators, byte);
    if (operator)
        parser->token = tokens[operator - operators];
}

// ---- bracket expressions

static int (*class_of(const char *name, size_t length, int folds))(int)
{
    static const struct
    {
        char name[8];
        int (*is)(int);
    } classes[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl}, {"digit", isdigit}, {"graph", isgraph},
        {"lower", islower}, {"print", isprint}, {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strlen(classes[i].name) == length && !strncmp(classes[i].name, name, length))
            return folds && (classes[i].is == islower || classes[i].is == isupper) ? isalpha : classes[i].is;
    return 0;
}

// An element of a bracket expression: a byte, or -1 for a class, whose bytes are added.
static int element(struct parser *parser, char has[256], int first, int ends_range)
{
    const unsigned char *at = parser->at;
    int byte = *at;
    if (!byte) {
        parser->error = REG_EBRACK;
        return -1;
    }
    if (byte == '[' && (at[1] == '.' || at[1] == '=' || at[1] == ':')) {
        const unsigned char *name = at + 2, *end = name;
        while (*end && !(end[0] == at[1] && end[1] == ']'))
            end++;
        size_t length = (size_t)(end - name);
        if (!*end || length >= 32) {
            parser->error = REG_EBRACK;
            return -1;
        }
        parser->at = end + 2;
        if (at[1] == ':') {
            if (ends_range) {
                parser->error = REG_ERANGE;
                return -1;
            }
            int (*is)(int) = class_of((const char *)name, length, parser->folds);
            if (!is)
                parser->error = REG_ECTYPE;
            for (int i = 0; is && i < 256; i++)
                has[i] |= is(i) != 0;
            return -1;
        }
        if (ends_range && at[1] == '=') {
            parser->error = REG_ERANGE;
            return -1;
        }
        if (length != 1) {
            parser->error = REG_ECOLLATE;
            return -1;
        }
        if (at[1] == '=') {
            has[parser->folds ? toupper(*name) : *name] = 1;
            return -1;
        }
        byte = *name;
    } else {
        if (byte == '-' && !first && !ends_range && at[1] != ']') {
            parser->error = REG_ERANGE;
            return -1;
        }
        parser->at++;
    }
    return parser->folds ? toupper(byte) : byte; // as glibc orders them
}

static int bracket(struct parser *parser)
{
    char has[256] = {0};
    int inverted = *parser->at == '^';
    parser->at += inverted;
    if (!*parser->at) {
        parser->error = REG_BADPAT;
        return 0;
    }
    for (int first = 1; first || *parser->at != ']'; first = 0) {
        int low = element(parser, has, first, 0), high = low;
        if (parser->error)
            return 0;
        if (parser->at[0] == '-' && parser->at[1] != ']' && low >= 0) {
            parser->at++;
            high = element(parser, has, 0, 1);
            if (!parser->error && high < low)
                parser->error = REG_ERANGE;
        } else if (parser->at[0] == '-' && parser->at[1] != ']') {
            // After a class, which begins no range.
            parser->error = parser->at[1] ? REG_ERANGE : REG_EBRACK;
        }
        if (parser->error)
            return 0;
        for (int i = low; i >= 0 && i <= high; i++)
            has[i] = 1;
    }
    parser->at++;
    if (parser->folds)
        for (int i = 0; i < 256; i++)
            has[i] = has[toupper(i)] | (has[i] && !isalpha(i));
    if (inverted) {
        for (int i = 0; i < 256; i++)
            has[i] = !has[i];
        if (parser->tree->flags & REG_NEWLINE)
            has['\n'] = 0;
    }
    return made_set(parser, has);
}

// ---- expressions

static int alternatives(struct parser *parser, int depth);

// A number of rounds: -1 if there is none, -2 if it is wrong. The token behind it is read.
static int number(struct parser *parser)
{
    int value = -1;
    for (;;) {
        next(parser, 0);
        if (parser->token == END)
            return -2;
        if (parser->token == CLOSING_BRACE || (parser->token == LITERAL && parser->value == ','))
            return value;
        if (parser->token != LITERAL || parser->value < '0' || parser->value > '9' || value == -2)
            value = -2;
        else if (value < 0)
            value = parser->value - '0';
        else if ((value = 10 * value + parser->value - '0') > MOST_ROUNDS + 1)
            value = MOST_ROUNDS + 1;
    }
}

static int is_repetition(const struct parser *parser)
{
    return parser->token == STAR || parser->token == PLUS || parser->token == QUESTION || parser->token == BRACE;
}

// An expression with the repetition after it.
static int repeated(struct parser *parser, int node)
{
    int least = parser->token == PLUS, most = parser->token == QUESTION ? 1 : -1;
    if (parser->token == BRACE) {
        most = 0;
        least = number(parser);
        int comma = parser->token == LITERAL && parser->value == ',';
        if (least == -1) {
            if (!comma) {
                parser->error = REG_BADBR;
                return 0;
            }
            least = 0;
        }
        if (least != -2)
            most = parser->token == CLOSING_BRACE ? least : comma ? number(parser) : -2;
        if (least == -2 || most == -2) {
            parser->error = parser->token == END ? REG_EBRACE : REG_BADBR;
            return 0;
        }
        if ((most != -1 && least > most) || parser->token != CLOSING_BRACE) {
            parser->error = REG_BADBR;
            return 0;
        }
        if ((most == -1 ? least : most) > MOST_ROUNDS) {
            parser->error = REG_ESIZE;
            return 0;
        }
    }
    next(parser, 0);
    int rounds = made(parser, ROUNDS, least, most);
    if (!parser->error)
        parser->tree->nodes[rounds].child = node;
    return rounds;
}

static int group(struct parser *parser, int depth)
{
    int which = ++parser->groups;
    int group = made(parser, GROUP, which, 0);
    next(parser, 1);
    if (!parser->error && parser->token != CLOSE) {
        int inner = alternatives(parser, depth + 1);
        if (!parser->error && parser->token != CLOSE)
            parser->error = REG_EPAREN;
        if (!parser->error)
            parser->tree->nodes[group].child = inner;
    }
    if (which < 10)
        parser->closed |= 1u << which;
    return group;
}

static int expression(struct parser *parser, int depth)
{
    int node = 0;
    switch (parser->token) {
    case LITERAL: node = made_literal(parser, parser->value); break;
    case OPEN:
        node = group(parser, depth);
        if (parser->error)
            return 0;
        break;
    case BRACKET:
        node = bracket(parser);
        if (parser->error)
            return 0;
        break;
    case REFERENCE:
        if (!(parser->closed >> (parser->value - '0') & 1)) {
            parser->error = REG_ESUBREG;
            return 0;
        }
        __selvedge_unsupported("a back-reference in a regular expression");
        return 0;
    case STAR:
    case PLUS:
    case QUESTION:
    case BRACE:
        if (parser->extended || parser->token == BRACE) {
            parser->error = REG_BADRPT;
            return 0;
        }
        node = made_literal(parser, parser->value);
        break;
    case CLOSE:
        if (!parser->extended) {
            parser->error = REG_ERPAREN;
            return 0;
        }
        node = made_literal(parser, ')');
        break;
    case CLOSING_BRACE: node = made_literal(parser, '}'); break;
    case ASSERTS:
        // What follows is no repetition of it.
        node = made(parser, ASSERTION, parser->value, 0);
        next(parser, 0);
        return node;
    case ANY: node = made_any(parser); break;
    case WORD_BYTE: node = made_class(parser, isalnum, 1, parser->inverted); break;
    case SPACE_BYTE: node = made_class(parser, isspace, 0, parser->inverted); break;
    case LONE_BACKSLASH: parser->error = REG_EESCAPE; return 0;
    case OR:
    case END: return made(parser, LIST, 0, 0);
    }
    next(parser, 0);
    while (!parser->error && is_repetition(parser)) {
        node = repeated(parser, node);
        if (!parser->error && !parser->extended && (parser->token == STAR || parser->token == BRACE))
            parser->error = REG_BADRPT;
    }
    return node;
}

static int ends_here(const struct parser *parser, int depth)
{
    return parser->token == OR || parser->token == END || (depth > 0 && parser->token == CLOSE);
}

static int branch(struct parser *parser, int depth)
{
    int list = made(parser, LIST, 0, 0), last = -1;
    while (!parser->error && !ends_here(parser, depth)) {
        int node = expression(parser, depth);
        if (!parser->error)
            append(parser, list, &last, node);
    }
    return list;
}

static int alternatives(struct parser *parser, int depth)
{
    int choice = made(parser, CHOICE, 0, 0), last = -1;
    for (;;) {
        int node = branch(parser, depth);
        if (parser->error)
            return 0;
        append(parser, choice, &last, node);
        if (parser->token != OR)
            return choice;
        next(parser, 1);
    }
}

// How many sets of positions a match of a node needs at once.
static int sets(const struct tree *tree, int at)
{
    const struct node *node = &tree->nodes[at];
    int most = 0;
    for (int child = node->child; child >= 0; child = tree->nodes[child].next) {
        int needed = sets(tree, child);
        most = needed > most ? needed : most;
    }
    return most + (node->kind == ROUNDS ? 3 : node->kind == LIST || node->kind == GROUP ? 2 : 0);
}

int regcomp(regex_t *restrict expression, const char *restrict text, int flags)
{
    memset(expression, 0, sizeof *expression);
    struct tree *tree = calloc(1, sizeof *tree);
    if (!tree)
        return REG_ESPACE;
    tree->flags = flags;
    const unsigned char *begin = (const unsigned char *)text;
    struct parser parser = {.tree = tree, .begin = begin, .at = begin, .extended = flags & REG_EXTENDED, .folds = flags & REG_ICASE};
    expression->buffer = (struct re_dfa_t *)(void *)tree;
    next(&parser, 1);
    alternatives(&parser, 0);
    if (parser.error) {
        regfree(expression);
        // glibc tells of these two as of others.
        return parser.error == REG_ERPAREN ? REG_EPAREN : parser.error;
    }
    tree->sets = sets(tree, 0) + 8;
    expression->re_nsub = (size_t)parser.groups;
    expression->no_sub = (flags & REG_NOSUB) != 0;
    expression->newline_anchor = (flags & REG_NEWLINE) != 0;
    return 0;
}
