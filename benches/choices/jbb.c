// A company with warehouses: terminals enter orders and payments.
//
// Shape: Simple JBB (after SPECjbb), in C. Objects are made and their fields set before the threads
// start; items and prices are only read from then on; each thread works on its own warehouse, which
// it reaches through the company's array of pointers; its stock is a row of a two-dimensional
// array; payments may concern a customer of another warehouse, under that one's lock; totals have a
// lock of the company.
//
// Sizes: THREADS (2): terminals, one for each warehouse; ITEMS (2), CUSTOMERS of each warehouse
// (1), TRANSACTIONS of each terminal (4): orders and payments in turn.
// Verdict: true. ERROR=1: a payment is booked without the lock (data race). ERROR=2: a payment
// holds the lock of its own warehouse, too (deadlock). ERROR=3: a terminal takes its orders from
// the stock of the first warehouse (data race).
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef CUSTOMERS
#define CUSTOMERS 1
#endif
#ifndef TRANSACTIONS
#define TRANSACTIONS 4
#endif
#ifndef ERROR
#define ERROR 0
#endif

enum { STOCK = 10 };

struct item {
    int price, name;
};

struct customer {
    int balance, payments;
};

struct order {
    int item, quantity;
    struct order *next;
};

struct warehouse {
    pthread_mutex_t lock;
    int number, year_to_date;
    struct customer *customers[CUSTOMERS];
    struct order *orders;
};

struct company {
    pthread_mutex_t lock;
    int total, transactions;
    const struct item *items;
    struct warehouse *warehouses[THREADS];
    int stock[THREADS][ITEMS];
};

static struct company *company;

static void *allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        abort();
    return memory;
}

static struct warehouse *new_warehouse(int number)
{
    struct warehouse *warehouse = allocate(sizeof *warehouse);
    pthread_mutex_init(&warehouse->lock, 0);
    warehouse->number = number;
    for (int i = 0; i < CUSTOMERS; i++)
        warehouse->customers[i] = allocate(sizeof(struct customer));
    return warehouse;
}

static struct company *new_company(void)
{
    struct company *made = allocate(sizeof *made);
    struct item *items = allocate(ITEMS * sizeof *items);
    pthread_mutex_init(&made->lock, 0);
    for (int i = 0; i < ITEMS; i++)
        items[i] = (struct item){.price = 3 + i, .name = 'a' + i};
    made->items = items;
    for (int i = 0; i < THREADS; i++) {
        made->warehouses[i] = new_warehouse(i);
        for (int j = 0; j < ITEMS; j++)
            made->stock[i][j] = STOCK;
    }
    return made;
}

static void book(int amount)
{
    pthread_mutex_lock(&company->lock);
    company->total += amount;
    company->transactions++;
    pthread_mutex_unlock(&company->lock);
}

static void enter_order(struct warehouse *warehouse, int item, int quantity)
{
    struct order *order = allocate(sizeof *order);
    int from = ERROR == 3 ? 0 : warehouse->number;
    if (company->stock[from][item] < quantity)
        company->stock[from][item] += STOCK;
    company->stock[from][item] -= quantity;
    *order = (struct order){.item = item, .quantity = quantity, .next = warehouse->orders};
    warehouse->orders = order;
    book(quantity * company->items[item].price);
}

static void pay(struct warehouse *warehouse, int at, int customer, int amount)
{
    struct warehouse *other = company->warehouses[at];
#if ERROR == 2
    if (other != warehouse)
        pthread_mutex_lock(&warehouse->lock);
#endif
#if ERROR != 1
    pthread_mutex_lock(&other->lock);
#endif
    other->customers[customer]->balance += amount;
    other->customers[customer]->payments++;
    other->year_to_date += amount;
#if ERROR != 1
    pthread_mutex_unlock(&other->lock);
#endif
#if ERROR == 2
    if (other != warehouse)
        pthread_mutex_unlock(&warehouse->lock);
#else
    (void)warehouse;
#endif
    book(0);
}

static void *serve(void *argument)
{
    struct warehouse *warehouse = company->warehouses[(long)argument];
    for (int i = 0; i < TRANSACTIONS; i++)
        if (i % 2 == 0)
            enter_order(warehouse, (warehouse->number + i / 2) % ITEMS, 1 + i);
        else
            pay(warehouse, (warehouse->number + i / 2 + 1) % THREADS, i % CUSTOMERS, i);
    return 0;
}

static int close_warehouse(struct warehouse *warehouse)
{
    int sum = 0, paid = 0;
    while (warehouse->orders) {
        struct order *order = warehouse->orders;
        sum += order->quantity * company->items[order->item].price;
        warehouse->orders = order->next;
        free(order);
    }
    for (int i = 0; i < CUSTOMERS; i++) {
        paid += warehouse->customers[i]->balance;
        free(warehouse->customers[i]);
    }
    assert(paid == warehouse->year_to_date);
    pthread_mutex_destroy(&warehouse->lock);
    free(warehouse);
    return sum;
}

int main(void)
{
    pthread_t terminals[THREADS];
    company = new_company();
    for (long i = 0; i < THREADS; i++)
        pthread_create(&terminals[i], 0, serve, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(terminals[i], 0);
    int sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += close_warehouse(company->warehouses[i]);
    assert(sum == company->total && company->transactions == THREADS * TRANSACTIONS);
    pthread_mutex_destroy(&company->lock);
    free((void *)company->items);
    free(company);
    return 0;
}
