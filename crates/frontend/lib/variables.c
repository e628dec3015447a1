/* Variables of glibc with the values that they have when a program starts. Functions that would change them either do so (getopt,
 * error) or have no model (tzset, lgamma), so that a program that calls one gets no verdict.
 *
 * `environ`, the names of the program and the standard streams are the machine's. Others (errno as a variable, what glibc calls its
 * own) are unknown: reading them is unsupported. */

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

long timezone;
int daylight;
char *tzname[2] = {"GMT", "GMT"};

int signgam;

unsigned error_message_count;
int error_one_per_line;

/* May be false at any time, says glibc's manual; threads may always be there. */
char __libc_single_threaded;

const unsigned char in6addr_any[16] __attribute__((aligned(4))) = {0};
const unsigned char in6addr_loopback[16] __attribute__((aligned(4))) = {[15] = 1};

/* What the compiler's library says of the processor (`__builtin_cpu_supports`): as the instruction cpuid does here, nothing. */
unsigned __cpu_model[4], __cpu_features2[4];
int __cpu_indicator_init(void);
int __cpu_indicator_init(void)
{
    return 0;
}
