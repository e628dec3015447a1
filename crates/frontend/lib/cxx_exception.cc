// Exceptions: what the C++ run-time library keeps of them (Itanium C++ ABI: Exception Handling, level II), as libstdc++ does it.
// Which handler catches one, and how it gets there, is the machine's (`_Unwind_RaiseException`).
#include <bits/cxxabi_forced.h>
#include <exception>
#include <new>
#include <stdlib.h>
#include <string.h>
#include <typeinfo>

// What the machine knows of an exception (vm/src/libc/unwind.rs).
struct Unwound {
    unsigned long mark;
    const std::type_info *type;
    void *object;
    void *caught;
};

// Stands before the object that is thrown; or alone, for one that an exception_ptr refers to and that is thrown again.
struct alignas(16) Header {
    Header *next;               // of the exceptions that this thread handles
    Header *primary;            // whose object it is
    void (*destructor)(void *); // of a primary one
    int handlers;               // how many are active; negative if it is thrown again
    int holders;                // of a primary one: what keeps it
    bool shared;                // some exception_ptr refers to it, so holders are counted atomically
    Unwound unwound;
};

struct Globals {
    Header *caught;
    unsigned uncaught;
};

static __thread Globals globals;
// Nobody catches what this thread throws.
static __thread bool nobody;
// What unwinds a thread that ends: handlers of everything catch it, and have to throw it again.
static __thread Header forced;

// The object is told once more for analyses, which do not follow what is behind the first argument.
extern "C" int _Unwind_RaiseException(Unwound *, void *object);
extern "C" [[noreturn]] void __selvedge_uncaught(const std::type_info *type, const char *what, int nobody);
extern "C" void *__cxa_begin_catch(void *exception) noexcept;

static Header *of_object(void *object)
{
    return static_cast<Header *>(object) - 1;
}

static Header *of_exception(void *exception)
{
    return reinterpret_cast<Header *>(static_cast<char *>(exception) - offsetof(Header, unwound));
}

static Header *initialise(Header *header, Header *primary, const std::type_info *type, void *object)
{
    header->primary = primary;
    header->unwound.mark = 0x53454c56432b2b00;
    header->unwound.type = type;
    header->unwound.object = object;
    return header;
}

static void hold(Header *primary)
{
    if (primary->shared)
        __atomic_add_fetch(&primary->holders, 1, __ATOMIC_ACQ_REL);
    else
        ++primary->holders;
}

static void let_go(Header *primary)
{
    if (primary->shared ? __atomic_sub_fetch(&primary->holders, 1, __ATOMIC_ACQ_REL) : --primary->holders)
        return;
    if (primary->destructor)
        primary->destructor(primary + 1);
    free(primary);
}

[[noreturn]] static void start(Header *header)
{
    _Unwind_RaiseException(&header->unwound, header->unwound.object);
    nobody = true;
    __cxa_begin_catch(&header->unwound);
    std::terminate();
}

extern "C" {

void *__cxa_get_globals() noexcept
{
    return &globals;
}

void *__cxa_get_globals_fast() noexcept
{
    return &globals;
}

void *__cxa_allocate_exception(size_t size) noexcept
{
    Header *header = static_cast<Header *>(malloc(sizeof(Header) + size));
    memset(header, 0, sizeof(Header));
    return header + 1;
}

void __cxa_free_exception(void *object) noexcept
{
    free(of_object(object));
}

__cxxabiv1::__cxa_refcounted_exception *__cxxabiv1::__cxa_init_primary_exception(void *object, std::type_info *type,
                                                                                void (*destructor)(void *)) noexcept
{
    Header *header = initialise(of_object(object), of_object(object), type, object);
    header->destructor = destructor;
    return reinterpret_cast<__cxa_refcounted_exception *>(header);
}

[[noreturn]] void __cxa_throw(void *object, std::type_info *type, void (*destructor)(void *))
{
    __cxxabiv1::__cxa_init_primary_exception(object, type, destructor);
    of_object(object)->holders = 1;
    globals.uncaught++;
    start(of_object(object));
}

[[noreturn]] void __cxa_rethrow()
{
    Header *header = globals.caught;
    if (header != &forced)
        globals.uncaught++;
    if (!header)
        std::terminate();
    header->handlers = -header->handlers;
    start(header);
}

void *__cxa_get_exception_ptr(void *exception) noexcept
{
    return of_exception(exception)->unwound.caught;
}

void *__cxa_begin_catch(void *exception) noexcept
{
    Header *header = of_exception(exception);
    header->handlers = (header->handlers < 0 ? -header->handlers : header->handlers) + 1;
    if (header != &forced)
        globals.uncaught--;
    if (header != globals.caught) {
        header->next = globals.caught;
        globals.caught = header;
    }
    return header->unwound.caught;
}

void __cxa_end_catch()
{
    Header *header = globals.caught;
    if (!header)
        return;
    if (header->handlers < 0) {
        if (++header->handlers == 0)
            globals.caught = header->next;
        return;
    }
    if (--header->handlers)
        return;
    globals.caught = header->next;
    // As glibc does: "FATAL: exception not rethrown".
    if (header == &forced)
        abort();
    Header *primary = header->primary;
    if (header != primary)
        free(header);
    let_go(primary);
}

// By pthread_exit or cancellation, where there is something to unwind.
[[noreturn]] void __selvedge_unwind_thread()
{
    initialise(&forced, &forced, &typeid(__cxxabiv1::__forced_unwind), &forced);
    forced.unwound.mark++;
    start(&forced);
}

std::type_info *__cxa_current_exception_type() noexcept
{
    return globals.caught ? const_cast<std::type_info *>(globals.caught->unwound.type) : nullptr;
}

// An exception that the function's exception specification does not allow.
[[noreturn]] void __cxa_call_unexpected(void *exception)
{
    __cxa_begin_catch(exception);
    std::terminate();
}

[[noreturn]] void __cxa_call_terminate(void *exception)
{
    __cxa_begin_catch(exception);
    std::terminate();
}

} // extern "C"

namespace std {

static terminate_handler at_end;

terminate_handler set_terminate(terminate_handler handler) noexcept
{
    return __atomic_exchange_n(&at_end, handler, __ATOMIC_ACQ_REL);
}

terminate_handler get_terminate() noexcept
{
    return __atomic_load_n(&at_end, __ATOMIC_ACQUIRE);
}

void terminate() noexcept
{
    if (terminate_handler handler = get_terminate()) {
        handler();
        abort();
    }
    const bool by_nobody = nobody;
    nobody = false;
    const type_info *type = __cxa_current_exception_type();
    if (!type)
        __selvedge_uncaught(nullptr, nullptr, 0);
    try {
        throw;
    } catch (const exception &e) {
        __selvedge_uncaught(type, e.what(), by_nobody);
    } catch (...) {
        __selvedge_uncaught(type, nullptr, by_nobody);
    }
}

int uncaught_exceptions() noexcept
{
    return globals.uncaught;
}

bool uncaught_exception() noexcept
{
    return globals.uncaught;
}

exception_ptr current_exception() noexcept
{
    Header *header = globals.caught;
    return header && header != &forced ? exception_ptr(header->primary + 1) : exception_ptr();
}

void rethrow_exception(exception_ptr pointer)
{
    Header *primary = of_object(pointer._M_get());
    Header *header = static_cast<Header *>(malloc(sizeof(Header)));
    memset(header, 0, sizeof(Header));
    hold(primary);
    initialise(header, primary, primary->unwound.type, primary + 1);
    pointer = nullptr;
    globals.uncaught++;
    start(header);
}

namespace __exception_ptr {

exception_ptr::exception_ptr(void *object) noexcept : _M_exception_object(object)
{
    if (!of_object(object)->shared)
        of_object(object)->shared = true;
    _M_addref();
}

void exception_ptr::_M_addref() noexcept
{
    if (_M_exception_object)
        hold(of_object(_M_exception_object));
}

void exception_ptr::_M_release() noexcept
{
    if (_M_exception_object) {
        let_go(of_object(_M_exception_object));
        _M_exception_object = nullptr;
    }
}

void *exception_ptr::_M_get() const noexcept
{
    return _M_exception_object;
}

const type_info *exception_ptr::__cxa_exception_type() const noexcept
{
    return _M_exception_object ? of_object(_M_exception_object)->unwound.type : nullptr;
}

} // namespace __exception_ptr

nested_exception::~nested_exception() noexcept = default;

} // namespace std
