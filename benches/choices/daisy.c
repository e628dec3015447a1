// A small file system: a directory, inodes and data blocks on a disk, with a lock manager.
//
// Shape: the Daisy file system (the challenge of the race detection literature), in C. The disk is
// a shared array of bytes; all that lies on it (maps of what is used, inodes, directory, data) is
// read and written byte by byte, under locks that a table of locks gives for blocks and inodes.
// Threads reach each other's files only through the directory.
//
// Sizes: THREADS (2), FILES that each thread makes (1), BYTES of each (1), BLOCKS on the disk
// (THREADS * FILES), ROOT: 1 if all threads also read the first file (0).
// Verdict: true. ERROR=1: blocks are allocated without the lock (data race; two files share a
// block). ERROR=2: the inode is locked before the directory in one place and after it in another
// (deadlock).
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef FILES
#define FILES 1
#endif
#ifndef BYTES
#define BYTES 1
#endif
#ifndef BLOCKS
#define BLOCKS (THREADS * FILES)
#endif
#ifndef ROOT
#define ROOT 0
#endif
#ifndef ERROR
#define ERROR 0
#endif

enum { INODES = THREADS * FILES, INODE_SIZE = 3, ENTRY_SIZE = 2 };
enum { IN_USE, SIZE, BLOCK };

// The layout of the disk.
enum {
    BLOCK_MAP = 0,
    INODE_TABLE = BLOCK_MAP + BLOCKS,
    DIRECTORY = INODE_TABLE + INODES * INODE_SIZE,
    DATA = DIRECTORY + INODES * ENTRY_SIZE,
    DISK_SIZE = DATA + BLOCKS * BYTES
};

// The locks: one for the map, one for the directory, then the inodes.
enum { MAP_LOCK, DIRECTORY_LOCK, FIRST_INODE_LOCK, LOCKS = FIRST_INODE_LOCK + INODES };

static unsigned char disk[DISK_SIZE];
static pthread_mutex_t locks[LOCKS];

static void acquire(int number)
{
    pthread_mutex_lock(&locks[number]);
}

static void release(int number)
{
    pthread_mutex_unlock(&locks[number]);
}

static int read_byte(int address)
{
    assert(address >= 0 && address < DISK_SIZE);
    return disk[address];
}

static void write_byte(int address, int value)
{
    assert(address >= 0 && address < DISK_SIZE);
    disk[address] = (unsigned char)value;
}

static int inode_field(int inode, int field)
{
    return INODE_TABLE + inode * INODE_SIZE + field;
}

static int allocate_block(void)
{
    int block = 0;
#if ERROR != 1
    acquire(MAP_LOCK);
#endif
    while (block < BLOCKS && read_byte(BLOCK_MAP + block))
        block++;
    assert(block < BLOCKS);
    write_byte(BLOCK_MAP + block, 1);
#if ERROR != 1
    release(MAP_LOCK);
#endif
    return block;
}

static int allocate_inode(void)
{
    for (int inode = 0; inode < INODES; inode++) {
        acquire(FIRST_INODE_LOCK + inode);
        if (!read_byte(inode_field(inode, IN_USE))) {
            write_byte(inode_field(inode, IN_USE), 1);
            write_byte(inode_field(inode, SIZE), 0);
            release(FIRST_INODE_LOCK + inode);
            return inode;
        }
        release(FIRST_INODE_LOCK + inode);
    }
    return -1;
}

// The inode of a name, or -1. Names are numbers above 0.
static int look_up(int name)
{
    int inode = -1;
    acquire(DIRECTORY_LOCK);
    for (int entry = 0; entry < INODES && inode < 0; entry++)
        if (read_byte(DIRECTORY + entry * ENTRY_SIZE) == name)
            inode = read_byte(DIRECTORY + entry * ENTRY_SIZE + 1);
#if ERROR == 2
    if (inode >= 0) {
        acquire(FIRST_INODE_LOCK + inode);
        assert(read_byte(inode_field(inode, IN_USE)));
        release(FIRST_INODE_LOCK + inode);
    }
#endif
    release(DIRECTORY_LOCK);
    return inode;
}

static void enter(int name, int inode)
{
    int entry = 0;
    acquire(DIRECTORY_LOCK);
    while (entry < INODES && read_byte(DIRECTORY + entry * ENTRY_SIZE))
        entry++;
    assert(entry < INODES);
    write_byte(DIRECTORY + entry * ENTRY_SIZE, name);
    write_byte(DIRECTORY + entry * ENTRY_SIZE + 1, inode);
    release(DIRECTORY_LOCK);
}

static int create(int name)
{
    int inode = allocate_inode();
    assert(inode >= 0);
    enter(name, inode);
    return inode;
}

static void write_file(int inode, int value)
{
    int block = allocate_block();
    acquire(FIRST_INODE_LOCK + inode);
    for (int i = 0; i < BYTES; i++)
        write_byte(DATA + block * BYTES + i, value);
    write_byte(inode_field(inode, BLOCK), block);
    write_byte(inode_field(inode, SIZE), BYTES);
#if ERROR == 2
    acquire(DIRECTORY_LOCK);
    assert(read_byte(DIRECTORY));
    release(DIRECTORY_LOCK);
#endif
    release(FIRST_INODE_LOCK + inode);
}

// True if the file is empty or has this value throughout.
static int holds(int inode, int value)
{
    int right = 1;
    acquire(FIRST_INODE_LOCK + inode);
    int size = read_byte(inode_field(inode, SIZE)), block = read_byte(inode_field(inode, BLOCK));
    for (int i = 0; i < size; i++)
        right &= read_byte(DATA + block * BYTES + i) == value;
    release(FIRST_INODE_LOCK + inode);
    return right;
}

static void *work(void *argument)
{
    int number = (int)(long)argument;
    for (int i = 0; i < FILES; i++) {
        int name = 1 + number * FILES + i;
        int inode = create(name);
        write_file(inode, name);
        assert(look_up(name) == inode && holds(inode, name));
    }
#if ROOT || ERROR == 2
    int first = look_up(1);
    assert(first < 0 || holds(first, 1));
#endif
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&locks[i], 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    for (int name = 1; name <= INODES; name++)
        assert(holds(look_up(name), name));
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&locks[i]);
    return 0;
}
