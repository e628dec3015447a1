// What the files about signals share.
#pragma once
#include <pthread.h>
#include <signal.h>

void __selvedge_unsupported(const char *what);
// Whether handlers run at points (signal_delivery.c): the program sets handlers, and sends signals to other threads or to the process.
int __selvedge_delivers(void);
// Whether it may send signals to the process, which any thread may take.
int __selvedge_sends_to_process(void);
// The signals that the thread blocks; all of them within an atomic block.
unsigned long __selvedge_mask(void);
// Makes the thread block these signals, and says which it did: as the machine keeps them, with a mark while a handler runs.
unsigned long __selvedge_set_mask(unsigned long mask);
#define IN_HANDLER (1ul << 31)
// From now on, the thread runs a handler in the place of the one with this handle; 0: no more.
void __selvedge_act_for(unsigned long thread);
// One of so many possibilities, whichever the world outside chooses.
int __selvedge_outside(int count);

// Waits until the word is `when`, and makes it `then`.
int __selvedge_claim(_Atomic int *word, int when, int then);

// What a delivery did.
enum { RAN_NOTHING, RAN, RAN_AND_RESTARTS };
// Delivers a signal to the thread itself. -1 with errno: there is no such signal.
int __selvedge_deliver(int number, int code, union sigval value);

void __selvedge_signal_point(void);
int __selvedge_signal_take(int restarts);
int __selvedge_signal_interrupts(int restarts);
void __selvedge_signal_unblocked(void);
void __selvedge_signal_wait_begins(void);
void __selvedge_signal_sleep_begins(void);
void __selvedge_signal_wait_ends(void);
void __selvedge_send_to_thread(pthread_t thread, int number);
void __selvedge_send_to_process(int number);
// Sets one of three timers, or ends it; whether it was on.
int __selvedge_arm(int timer, int number, int on);
void __selvedge_keep(int number, int of_process);
void __selvedge_forget(int number);
