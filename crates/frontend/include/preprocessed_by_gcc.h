/* For preprocessed C that gcc made: what gcc knows, and clang does not. */

/* Floating types of C23. glibc's headers use them where the compiler is gcc. */
#define _Float32 float
#define _Float32x double
#define _Float64 double
#define _Float64x long double
#define _Float128 __float128

/* Names that are no macros in preprocessed text. */
#undef linux
#undef unix

/* gcc's <stdatomic.h> calls these on atomic objects; clang wants other objects. What an access
   gives is not atomic any more, and so its type is that of the object without the qualifier. */
#define __selvedge_object(P) ((__typeof__((void)0, *(P)) *)(void *)(P))
#define __atomic_load(P, ...) __atomic_load(__selvedge_object(P), __VA_ARGS__)
#define __atomic_load_n(P, ...) __atomic_load_n(__selvedge_object(P), __VA_ARGS__)
#define __atomic_store(P, ...) __atomic_store(__selvedge_object(P), __VA_ARGS__)
#define __atomic_store_n(P, ...) __atomic_store_n(__selvedge_object(P), __VA_ARGS__)
#define __atomic_exchange(P, ...) __atomic_exchange(__selvedge_object(P), __VA_ARGS__)
#define __atomic_exchange_n(P, ...) __atomic_exchange_n(__selvedge_object(P), __VA_ARGS__)
#define __atomic_compare_exchange(P, ...) __atomic_compare_exchange(__selvedge_object(P), __VA_ARGS__)
#define __atomic_compare_exchange_n(P, ...) __atomic_compare_exchange_n(__selvedge_object(P), __VA_ARGS__)
#define __atomic_fetch_add(P, ...) __atomic_fetch_add(__selvedge_object(P), __VA_ARGS__)
#define __atomic_fetch_sub(P, ...) __atomic_fetch_sub(__selvedge_object(P), __VA_ARGS__)
#define __atomic_fetch_and(P, ...) __atomic_fetch_and(__selvedge_object(P), __VA_ARGS__)
#define __atomic_fetch_or(P, ...) __atomic_fetch_or(__selvedge_object(P), __VA_ARGS__)
#define __atomic_fetch_xor(P, ...) __atomic_fetch_xor(__selvedge_object(P), __VA_ARGS__)
#define __atomic_fetch_nand(P, ...) __atomic_fetch_nand(__selvedge_object(P), __VA_ARGS__)
#define __atomic_add_fetch(P, ...) __atomic_add_fetch(__selvedge_object(P), __VA_ARGS__)
#define __atomic_sub_fetch(P, ...) __atomic_sub_fetch(__selvedge_object(P), __VA_ARGS__)
#define __atomic_and_fetch(P, ...) __atomic_and_fetch(__selvedge_object(P), __VA_ARGS__)
#define __atomic_or_fetch(P, ...) __atomic_or_fetch(__selvedge_object(P), __VA_ARGS__)
#define __atomic_xor_fetch(P, ...) __atomic_xor_fetch(__selvedge_object(P), __VA_ARGS__)
#define __atomic_nand_fetch(P, ...) __atomic_nand_fetch(__selvedge_object(P), __VA_ARGS__)
/* The object is an atomic_flag: a structure of one byte. */
#define __atomic_test_and_set(P, ...) __atomic_test_and_set((unsigned char *)(void *)(P), __VA_ARGS__)
#define __atomic_clear(P, ...) __atomic_clear((unsigned char *)(void *)(P), __VA_ARGS__)
