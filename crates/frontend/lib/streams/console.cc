// The buffers of the standard streams, which pass everything on to stdio.
//
// Threads may use a standard stream at once, as the standard says of streams that are synchronised
// with stdio: nothing is written to their buffers here, and stdio has its own locks. After
// sync_with_stdio(false) they are objects like others, so each use writes to the buffer, and uses
// by two threads are a data race.
#include "streams.h"
#include <stdio.h>

namespace selvedge {

bool synchronised = true;

void console_output::use()
{
    if (!synchronised)
        used++;
}

int console_output::overflow(int c)
{
    use();
    if (c == EOF)
        return 0;
    fputc(c, descriptor == 1 ? stdout : stderr);
    return c;
}

std::streamsize console_output::xsputn(const char *text, std::streamsize length)
{
    use();
    if (length > 0)
        fwrite(text, 1, length, descriptor == 1 ? stdout : stderr);
    return length;
}

// The byte that the thread read last. It is the one that unget() without an argument means.
static __thread int last = EOF;

void console_input::use()
{
    if (!synchronised)
        used++;
}

int console_input::underflow()
{
    use();
    return ungetc(fgetc(stdin), stdin);
}

int console_input::uflow()
{
    use();
    return last = fgetc(stdin);
}

int console_input::pbackfail(int c)
{
    use();
    const int put = c == EOF ? last : c;
    last = EOF;
    return put == EOF ? EOF : ungetc(put, stdin);
}

} // namespace selvedge

namespace std {

bool ios_base::sync_with_stdio(bool on)
{
    const bool before = selvedge::synchronised;
    if (before && !on)
        selvedge::synchronised = false;
    return before;
}

} // namespace std
