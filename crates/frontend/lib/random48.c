// Random numbers of 48 bits: X' = (a X + c) mod 2^48, as POSIX has them. As in glibc the first seed is zero, and threads that share
// the state without an order race.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

typedef unsigned short number[3];

static unsigned long value(const number x) { return x[0] | (unsigned long)x[1] << 16 | (unsigned long)x[2] << 32; }

static void set(number x, unsigned long to)
{
    for (int i = 0; i < 3; i++)
        x[i] = (unsigned short)(to >> 16 * i);
}

static void begin(struct drand48_data *data)
{
    data->__a = 0x5deece66dull;
    data->__c = 0xb;
    data->__init = 1;
}

static unsigned long next(number x, struct drand48_data *data)
{
    if (!data->__init)
        begin(data);
    unsigned long after = (value(x) * data->__a + data->__c) & 0xffffffffffff;
    set(x, after);
    return after;
}

int erand48_r(number x, struct drand48_data *data, double *result)
{
    *result = (double)next(x, data) / 281474976710656.0;
    return 0;
}

int nrand48_r(number x, struct drand48_data *data, long *result)
{
    *result = (long)(next(x, data) >> 17);
    return 0;
}

int jrand48_r(number x, struct drand48_data *data, long *result)
{
    *result = (int)(next(x, data) >> 16);
    return 0;
}

int drand48_r(struct drand48_data *data, double *result) { return erand48_r(data->__x, data, result); }
int lrand48_r(struct drand48_data *data, long *result) { return nrand48_r(data->__x, data, result); }
int mrand48_r(struct drand48_data *data, long *result) { return jrand48_r(data->__x, data, result); }

int srand48_r(long seed, struct drand48_data *data)
{
    set(data->__x, (unsigned long)(unsigned)seed << 16 | 0x330e);
    begin(data);
    return 0;
}

int seed48_r(number seed, struct drand48_data *data)
{
    memcpy(data->__old_x, data->__x, sizeof data->__old_x);
    memcpy(data->__x, seed, sizeof data->__x);
    begin(data);
    return 0;
}

int lcong48_r(unsigned short parameters[7], struct drand48_data *data)
{
    memcpy(data->__x, parameters, sizeof data->__x);
    data->__a = value(parameters + 3);
    data->__c = parameters[6];
    data->__init = 1;
    return 0;
}

static struct drand48_data shared;

double drand48(void)
{
    double result;
    drand48_r(&shared, &result);
    return result;
}

double erand48(number x)
{
    double result;
    erand48_r(x, &shared, &result);
    return result;
}

long lrand48(void)
{
    long result;
    lrand48_r(&shared, &result);
    return result;
}

long nrand48(number x)
{
    long result;
    nrand48_r(x, &shared, &result);
    return result;
}

long mrand48(void)
{
    long result;
    mrand48_r(&shared, &result);
    return result;
}

long jrand48(number x)
{
    long result;
    jrand48_r(x, &shared, &result);
    return result;
}

void srand48(long seed) { srand48_r(seed, &shared); }

unsigned short *seed48(number seed)
{
    seed48_r(seed, &shared);
    return shared.__old_x;
}

void lcong48(unsigned short parameters[7]) { lcong48_r(parameters, &shared); }
