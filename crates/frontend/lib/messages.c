// Messages in the language of the user: in the locale "C" they are those of the program. Which
// domain and which folder are set is told by no other function, so it is not kept: who asks for
// them is unsupported.
#include <libintl.h>
#include <stddef.h>

void __selvedge_unsupported(const char *what);

char *gettext(const char *message) { return (char *)message; }

char *dgettext(const char *domain, const char *message)
{
    (void)domain;
    return (char *)message;
}

char *dcgettext(const char *domain, const char *message, int category)
{
    (void)domain;
    (void)category;
    return (char *)message;
}

char *ngettext(const char *one, const char *several, unsigned long count)
{
    return (char *)(count == 1 ? one : several);
}

char *dngettext(const char *domain, const char *one, const char *several, unsigned long count)
{
    (void)domain;
    return ngettext(one, several, count);
}

char *dcngettext(const char *domain, const char *one, const char *several, unsigned long count, int category)
{
    (void)domain;
    (void)category;
    return ngettext(one, several, count);
}

// The result is a string that the caller must not change; here it is the caller's own.
static char *set(const char *value, const char *asks)
{
    if (!value)
        __selvedge_unsupported(asks);
    return (char *)value;
}

char *textdomain(const char *domain) { return set(domain, "textdomain that asks for the domain"); }

char *bindtextdomain(const char *domain, const char *folder)
{
    if (!domain || !*domain)
        return NULL;
    return set(folder, "bindtextdomain that asks for the folder");
}

char *bind_textdomain_codeset(const char *domain, const char *codeset)
{
    if (!domain || !*domain)
        return NULL;
    return set(codeset, "bind_textdomain_codeset that asks for the encoding");
}
