// The numbers of devices: a major and a minor one in 64 bits, as glibc puts them together.
unsigned gnu_dev_major(unsigned long device)
{
    return (unsigned)(device >> 8 & 0xfff) | (unsigned)(device >> 32 & ~0xffful);
}

unsigned gnu_dev_minor(unsigned long device)
{
    return (unsigned)(device & 0xff) | (unsigned)(device >> 12 & ~0xfful);
}

unsigned long gnu_dev_makedev(unsigned major, unsigned minor)
{
    unsigned long high = major, low = minor;
    return (low & 0xff) | (high & 0xfff) << 8 | (low & ~0xfful) << 12 | (high & ~0xffful) << 32;
}
