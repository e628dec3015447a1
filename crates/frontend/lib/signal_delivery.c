// Signals that threads send each other, and the points at which handlers run.
//
// A signal that is sent is *generated*; some time later it *arrives*. A thread of its own brings it, so when it arrives is up to the
// schedule. The thread to which it was sent looks for signals that have arrived at *points*: before each action that other threads
// may notice, and before each access to memory that a handler may access, too (crates/analysis/src/signal_points.rs puts them
// there). At the first point at which it finds one that it does not block, it runs the handler. So each order of the handler and
// the thread's own actions is explored, as the signal may arrive before or after each of them.
//
// A thread that is blocked in an action has passed the point before it. A handler that runs then could as well have run at that
// point, since the action has not happened. So an execution goes no further where a thread is blocked and a signal has arrived for
// it: the machine holds the thread (`may_run_handler` in crates/vm/src/arrived.rs). Waits that are several actions (of condition
// variables, barriers) are another matter: in the middle, the thread has given a mutex back. There the thread that brings the
// signal runs the handler in its place (`run_for`).
//
// Who sends a signal does so before what the handler does, and a handler in the place of a thread runs while that thread waits. Nothing else is
// ordered, not threads that send, take, or wait. So `generated` is written with release by who sends and read with acquire by who takes, and
// `state` orders the thread and who acts for it; all other accesses are relaxed. (That signals of several numbers for one thread share a word
// orders more: a handler comes after all who had sent something to its thread.)
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>
#include "signals.h"
#include "tables.h"

// How many threads there may be: more are unsupported. Half of them are the first thread and those that it creates, whose handles
// begin at 1; the handles of others begin at OTHERS (DIRECT_REGIONS in crates/vm/src/program.rs).
enum { MOST = 256, DIRECT = MOST / 2, OTHERS = 3072 };

// What a thread is doing. The machine reads it. `AWAY`: it waits, and another thread runs a handler in its place. `WOKEN`: it was
// suspended, and a signal has arrived. `SLEEPS`: it waits for a futex, which a handler would end.
enum { RUNS = 0, WAITS = 1, AWAY = 2, SUSPENDED = 3, WOKEN = 4, SLEEPS = 5 };

// The signals of a thread; those of the process are at index 0. Bit n - 1 is for signal n.
// The machine reads the first three.
struct signals {
    _Atomic unsigned long generated, arrived;
    _Atomic int state;
    // The signals that it does not block, while it waits or is suspended. Written before `state` says so.
    _Atomic unsigned long open;
};
struct signals __selvedge_signals[MOST];

_Static_assert(offsetof(struct signals, arrived) == 8 && offsetof(struct signals, state) == 16, "as in arrived.rs");
_Static_assert(sizeof(struct signals) == 32, "as in arrived.rs");

// Which threads wait or are suspended: the first of the direct ones, and behind them the first of the others.
static _Atomic unsigned long waiting;
enum { WAITING_DIRECT = 48, WAITING_OTHERS = 64 - WAITING_DIRECT };

static unsigned long bit(int number) { return 1ul << (number - 1); }

static unsigned long set_bits(_Atomic unsigned long *of, unsigned long bits) { return atomic_fetch_or_explicit(of, bits, memory_order_relaxed); }
static unsigned long clear_bits(_Atomic unsigned long *of, unsigned long bits) { return atomic_fetch_and_explicit(of, ~bits, memory_order_relaxed); }

static unsigned index_of(pthread_t thread)
{
    if (thread < DIRECT)
        return (unsigned)thread;
    if (thread < OTHERS || thread - OTHERS >= MOST - DIRECT)
        __selvedge_unsupported("signals in a program of more than 126 threads that the first one creates, or 128 others");
    return DIRECT + (unsigned)thread - OTHERS;
}

static unsigned long handle_at(unsigned index) { return index < DIRECT ? index : OTHERS + index - DIRECT; }

// The bit of a thread in `waiting`, and which thread a bit stands for.
static unsigned long waiting_bit(unsigned index)
{
    unsigned of_others = index - DIRECT;
    if (index < WAITING_DIRECT)
        return 1ul << index;
    if (index < DIRECT || of_others >= WAITING_OTHERS)
        __selvedge_unsupported("signals to a process of more than 62 threads, one of which waits");
    return 1ul << (WAITING_DIRECT + of_others);
}

static unsigned first_waiting(unsigned long all)
{
    unsigned at = (unsigned)__builtin_ctzl(all);
    return at < WAITING_DIRECT ? at : DIRECT + at - WAITING_DIRECT;
}

static struct signals *own(void) { return &__selvedge_signals[index_of(pthread_self())]; }

// Signals that have arrived, and for which nothing has run yet.
static unsigned long ready(struct signals *from, unsigned long open)
{
    return open ? TABLE_GET(from->arrived) & open : 0;
}

// Signals to the process that a timer has sent, and that nobody has taken.
static _Atomic unsigned long by_timer;

static int is_of_timer(int number) { return number == SIGALRM || number == SIGVTALRM || number == SIGPROF; }

// How a signal was sent, as Linux says it. It is being taken: `generated` is still set, so nobody sends another one.
static int code_of(struct signals *from, int number)
{
    if (from != __selvedge_signals)
        return SI_TKILL;
    return is_of_timer(number) && clear_bits(&by_timer, bit(number)) & bit(number) ? SI_KERNEL : SI_USER;
}

// Takes a signal, if nobody else has; whether it was one. `arrived` goes first: one that is sent in between is the same signal still.
static int take(struct signals *from, int number, int *code)
{
    int here = (clear_bits(&from->arrived, bit(number)) & bit(number)) != 0;
    if (here)
        *code = code_of(from, number);
    // What was taken before it arrived arrives in vain.
    return here && (atomic_fetch_and_explicit(&from->generated, ~bit(number), memory_order_acquire) & bit(number)) != 0;
}

// Runs handlers of signals that have arrived; whether one of them interrupts calls. `restarts`: not those with SA_RESTART (1), or the
// second bit is set for those (2).
// If there are several, POSIX leaves open which one comes first.
int __selvedge_signal_take(int restarts)
{
    int interrupted = 0;
    for (;;) {
        unsigned long open = ~__selvedge_mask();
        struct signals *from = own();
        unsigned long found = ready(from, open);
        unsigned long shared = __selvedge_sends_to_process() ? ready(__selvedge_signals, open) : 0;
        if (!(found | shared))
            return interrupted;
        int count = __builtin_popcountl(found), all = count + __builtin_popcountl(shared);
        int chosen = all > 1 ? __selvedge_outside(all) : 0;
        if (chosen >= count) {
            from = __selvedge_signals;
            found = shared;
            chosen -= count;
        }
        while (chosen-- > 0)
            found &= found - 1;
        int number = __builtin_ctzl(found) + 1;
        int code;
        if (take(from, number, &code)) {
            union sigval none = {0};
            int ran = __selvedge_deliver(number, code, none);
            if (ran == RAN || (ran == RAN_AND_RESTARTS && !restarts))
                interrupted |= 1;
            else if (ran == RAN_AND_RESTARTS)
                interrupted |= restarts & 2;
        }
    }
}

// A point at which handlers run.
void __selvedge_signal_point(void) { __selvedge_signal_take(1); }

// A point within a call that a handler may interrupt, after the one before the call: whether it was.
int __selvedge_signal_interrupts(int restarts)
{
    __selvedge_signal_point();
    return __selvedge_signal_take(restarts);
}

// After a change of the signals that the thread blocks: what was sent and is not blocked now is delivered before that call returns.
void __selvedge_signal_unblocked(void)
{
    unsigned long open = ~__selvedge_mask();
    struct signals *mine = own();
    unsigned long sent = TABLE_GET(mine->generated) & open;
    if (sent)
        set_bits(&mine->arrived, sent);
    if (__selvedge_sends_to_process() && (sent = TABLE_GET(__selvedge_signals->generated) & open))
        set_bits(&__selvedge_signals->arrived, sent);
    __selvedge_signal_point();
}

// ---- waits

// Signals that have arrived for a thread that waits or is suspended.
static unsigned long found(struct signals *mine)
{
    unsigned long here = ready(mine, TABLE_GET(mine->open));
    return here || !__selvedge_sends_to_process() ? here : ready(__selvedge_signals, TABLE_GET(mine->open));
}

// From now on the thread waits, or is suspended, unless a signal has arrived; whether it does. Who brings a signal first lets it
// arrive, and then looks at the state; here it is the other way round. So one of the two sees the other.
static int begins(struct signals *mine, int state, unsigned long open)
{
    unsigned long me = __selvedge_sends_to_process() ? waiting_bit((unsigned)(mine - __selvedge_signals)) : 0;
    TABLE_SET(mine->open, open);
    atomic_store_explicit(&mine->state, state, memory_order_release);
    if (__selvedge_sends_to_process())
        set_bits(&waiting, me);
    if (!found(mine))
        return 1;
    int before = state;
    if (!atomic_compare_exchange_strong_explicit(&mine->state, &before, RUNS, memory_order_acquire, memory_order_relaxed))
        __selvedge_claim(&mine->state, state == SUSPENDED ? WOKEN : state, RUNS);
    if (__selvedge_sends_to_process())
        clear_bits(&waiting, me);
    return 0;
}

static void ends(struct signals *mine, int state)
{
    __selvedge_claim(&mine->state, state, RUNS);
    if (__selvedge_sends_to_process())
        clear_bits(&waiting, waiting_bit((unsigned)(mine - __selvedge_signals)));
}

// Whether the thread runs a handler in the place of one that waits.
static int acts(void) { return TABLE_GET(own()->state) != RUNS; }

static void waits(int state)
{
    unsigned long open = ~__selvedge_mask();
    if (acts())
        __selvedge_unsupported("a wait in a handler that runs while its thread waits");
    if (open)
        do
            __selvedge_signal_point();
        while (!begins(own(), state, open));
}

void __selvedge_signal_wait_begins(void) { waits(WAITS); }
void __selvedge_signal_sleep_begins(void) { waits(SLEEPS); }

void __selvedge_signal_wait_ends(void)
{
    struct signals *mine = own();
    int state = TABLE_GET(mine->state);
    if (state != RUNS)
        ends(mine, state == SLEEPS ? SLEEPS : WAITS);
}

// Runs the handlers of signals that have arrived for a thread that waits, in its place, or wakes it if it is suspended. Who finds
// that another thread does so already leaves it to that one, which looks again before it ends.
static void run_for(unsigned index)
{
    struct signals *to = &__selvedge_signals[index];
    int before = SUSPENDED;
    int state = TABLE_GET(to->state);
    if (state == SLEEPS && found(to))
        __selvedge_unsupported("a handler that runs while its thread waits for a futex (as std::atomic::wait does)");
    if (state == SUSPENDED) {
        if (found(to))
            atomic_compare_exchange_strong_explicit(&to->state, &before, WOKEN, memory_order_relaxed, memory_order_relaxed);
        return;
    }
    for (before = WAITS;
         found(to) && atomic_compare_exchange_strong_explicit(&to->state, &before, AWAY, memory_order_acquire, memory_order_relaxed);
         before = WAITS) {
        unsigned long now;
        while ((now = found(to))) {
            struct signals *from = ready(to, TABLE_GET(to->open)) ? to : __selvedge_signals;
            int number = __builtin_ctzl(now) + 1, code;
            if (take(from, number, &code)) {
                union sigval none = {0};
                __selvedge_act_for(handle_at(index));
                unsigned long mask = __selvedge_set_mask(~TABLE_GET(to->open));
                __selvedge_deliver(number, code, none);
                __selvedge_set_mask(mask);
                __selvedge_act_for(0);
            }
        }
        atomic_store_explicit(&to->state, WAITS, memory_order_release);
    }
}

// ---- sending

static unsigned long flight(unsigned index, int number) { return (unsigned long)index << 8 | (unsigned)number; }

static void of_thread(unsigned index, int number)
{
    struct signals *to = &__selvedge_signals[index];
    set_bits(&to->arrived, bit(number));
    run_for(index);
}

// Any thread that does not block it may take it: one that comes to a point, or one of those that wait.
static void of_process(int number)
{
    struct signals *to = __selvedge_signals;
    set_bits(&to->arrived, bit(number));
    unsigned long all = TABLE_GET(waiting);
    int count = __builtin_popcountl(all), chosen = count > 1 ? __selvedge_outside(count) : 0;
    // If the chosen one blocks it, another one may take it.
    for (int i = 0; i < count && ready(to, ~0ul); i++) {
        unsigned long rest = all;
        for (int skipped = (chosen + i) % count; skipped > 0; skipped--)
            rest &= rest - 1;
        run_for(first_waiting(rest));
    }
}

// The thread that brings a signal.
static void *arrive(void *what)
{
    unsigned long packed = (unsigned long)what, index = packed >> 8;
    __selvedge_set_mask(~0ul);
    pthread_setname_np(pthread_self(), "signal");
    if (index == 0)
        of_process(packed & 255);
    else
        of_thread((unsigned)index, packed & 255);
    return NULL;
}

static int is_ignored(int number)
{
    struct sigaction action;
    sigaction(number, 0, &action);
    if (action.sa_handler == SIG_IGN)
        return 1;
    return action.sa_handler == SIG_DFL && (number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT);
}

// Generates a signal, if it is not so yet; whether it has to be brought.
static int generated(struct signals *to, int number)
{
    if (is_ignored(number))
        return 0;
    if (!(atomic_fetch_or_explicit(&to->generated, bit(number), memory_order_release) & bit(number)))
        return 1;
    if (number >= 32)
        __selvedge_unsupported("several real-time signals of one number that wait for one thread");
    return 0;
}

static void start(void *(*code)(void *), unsigned long what)
{
    pthread_t bringer;
    if (pthread_create(&bringer, NULL, code, (void *)what) != 0)
        __selvedge_unsupported("a signal for which no thread can be made");
    pthread_detach(bringer);
}

static void send(unsigned index, int number)
{
    if (generated(&__selvedge_signals[index], number))
        start(arrive, flight(index, number));
}

void __selvedge_send_to_thread(pthread_t thread, int number) { send(index_of(thread), number); }
void __selvedge_send_to_process(int number) { send(0, number); }

// ---- timers

// For each timer, which setting of it is on; 0: none. A timer is off when its signal is sent, and not before.
static _Atomic unsigned long on[3], settings;
static _Atomic int timers;

static void *expire(void *what)
{
    unsigned long packed = (unsigned long)what, setting = packed >> 16;
    __selvedge_set_mask(~0ul);
    pthread_setname_np(pthread_self(), "timer");
    int number = packed & 255;
    table_lock(&timers);
    int sends = TABLE_GET(on[packed >> 8 & 255]) == setting;
    if (sends) {
        TABLE_SET(on[packed >> 8 & 255], 0);
        // First, for a thread that unblocks the signal takes it as soon as it is generated.
        unsigned long before = set_bits(&by_timer, bit(number)) & bit(number);
        sends = generated(__selvedge_signals, number);
        if (!sends && !before)
            clear_bits(&by_timer, bit(number));
    }
    table_unlock(&timers);
    if (sends)
        of_process(number);
    return NULL;
}

// Whether it was on.
int __selvedge_arm(int timer, int number, int is_on)
{
    table_lock(&timers);
    unsigned long setting = is_on ? TABLE_ADD(settings, 1) + 1 : 0;
    int was_on = TABLE_GET(on[timer]) != 0;
    TABLE_SET(on[timer], setting);
    table_unlock(&timers);
    if (is_on)
        start(expire, setting << 16 | (unsigned long)timer << 8 | (unsigned long)number);
    return was_on;
}

// A signal that its own sender blocks.
void __selvedge_keep(int number, int of_process)
{
    struct signals *to = of_process ? __selvedge_signals : own();
    // A system may keep it, for an action that is set later.
    if (is_ignored(number))
        __selvedge_unsupported("a signal that is sent while it is ignored and blocked");
    if (generated(to, number))
        set_bits(&to->arrived, bit(number));
}

// sigwait has taken the signal: the one that was sent to the thread, if there is one, as in Linux. One to the process is left then.
void __selvedge_forget(int number)
{
    struct signals *from = own();
    if (!(TABLE_GET(from->generated) & bit(number))) {
        if (!__selvedge_sends_to_process())
            return;
        from = __selvedge_signals;
    }
    clear_bits(&from->arrived, bit(number));
    code_of(from, number);
    atomic_fetch_and_explicit(&from->generated, ~bit(number), memory_order_acquire);
}

// ---- waiting for a signal

static int suspended(unsigned long during)
{
    if (!__selvedge_delivers())
        __selvedge_unsupported("waiting for a signal in a program that sets no handler, or sends itself no signal");
    if (acts())
        __selvedge_unsupported("waiting for a signal in a handler that runs while its thread waits");
    __selvedge_signal_point();
    struct signals *mine = own();
    unsigned long before = __selvedge_set_mask(during);
    while (!__selvedge_signal_take(0))
        if (begins(mine, SUSPENDED, ~during))
            ends(mine, WOKEN);
    __selvedge_set_mask(before);
    errno = EINTR;
    return -1;
}

int sigsuspend(const sigset_t *set) { return suspended(set->__val[0] & ~(1ul << (SIGKILL - 1) | 1ul << (SIGSTOP - 1) | 3ul << 31)); }
int pause(void) { return suspended(__selvedge_mask()); }
