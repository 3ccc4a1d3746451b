/* A hostile module: each entry is a program that tries one thing, as no COBOL
 * program could. It answers in its COMMAREA what it was told; one that the
 * system ends answers nothing. The COMMAREA it is given may name a file or a
 * process first, as a text with a zero byte behind it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM(name) int name(void *eib, char *area)
#define TOLD(...) (snprintf(area, 200, __VA_ARGS__), 0)
#define RESULT(rc) TOLD("%s", (rc) < 0 ? strerrorname_np(errno) : "done")

enum { FDS = 1024 };
extern char **environ;

PROGRAM(GOOD) { return TOLD("good"); }

/* Works for the time that the COMMAREA gives in milliseconds, and gives the
 * process back. */
PROGRAM(WORKER)
{
	long ms = atol(area);
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
	return TOLD("%d", getpid());
}

/* Other programs and processes. Signal 0 asks whether a signal would be sent:
 * a test that fails must not end what runs beside it. */
PROGRAM(SHELL) { return RESULT(system(area)); }
PROGRAM(EXEC) { return RESULT(execl("/bin/true", "true", (char *)0)); }
PROGRAM(FORK) { return RESULT(fork()); }
PROGRAM(VFORKED) { return RESULT(syscall(SYS_vfork)); }
PROGRAM(CLONE3) { return RESULT(syscall(SYS_clone3, NULL, 0)); }
PROGRAM(KILLPP) { return RESULT(kill(getppid(), 0)); }
PROGRAM(KILLALL) { return RESULT(kill(-1, 0)); }
PROGRAM(KILLGRP) { return RESULT(kill(0, 0)); }
PROGRAM(KILLSIB) { return RESULT(kill(atoi(area), 0)); }
PROGRAM(QUEUESIG) { return RESULT(sigqueue(getppid(), 0, (union sigval){ 0 })); }
PROGRAM(PIDFD) { return RESULT(syscall(SYS_pidfd_open, getppid(), 0)); }
PROGRAM(TRACE) { return RESULT(ptrace(PTRACE_ATTACH, atoi(area), 0, 0)); }
PROGRAM(READMEM)
{
	char here[8];
	struct iovec mine = { here, 8 }, theirs = { (void *)0x1000, 8 };

	return RESULT(process_vm_readv(atoi(area), &mine, 1, &theirs, 1, 0));
}
PROGRAM(URING) { return RESULT(syscall(SYS_io_uring_setup, 4, NULL)); }
PROGRAM(UNSHARE) { return RESULT(syscall(SYS_unshare, 0x10000000)); }
PROGRAM(BPF) { return RESULT(syscall(SYS_bpf, 0, NULL, 0)); }

/* Somebody else's settings, and its own. */
PROGRAM(LIMITS)
{
	struct rlimit none = { 0, 0 };

	return RESULT(prlimit(getppid(), RLIMIT_CORE, &none, NULL));
}
PROGRAM(RAISE)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	return RESULT(setrlimit(RLIMIT_DATA, &all));
}
PROGRAM(DUMP) { return RESULT(prctl(PR_SET_DUMPABLE, 1)); }
PROGRAM(ORPHAN) { return RESULT(prctl(PR_SET_PDEATHSIG, 0)); }
PROGRAM(GROUP) { return RESULT(setpgid(0, getppid())); }
PROGRAM(NICE) { return RESULT(syscall(SYS_setpriority, PRIO_PROCESS, getppid(), 19)); }
PROGRAM(ASYNC)
{
	/* A signal to somebody else when a descriptor becomes ready. */
	return RESULT(fcntl(1, F_SETOWN, getppid()));
}

/* The region shares the eventfds' flags: one that blocks could stop it. */
PROGRAM(BLOCKING)
{
	int fd, zero = 0, done = 0;

	for (fd = 0; fd < FDS; fd++) {
		done += fcntl(fd, F_SETFL, 0) == 0;
		done += ioctl(fd, FIONBIO, &zero) == 0;
	}
	return TOLD("changed %d", done);
}

/* Files. */
PROGRAM(READFILE)
{
	char text[100];
	int fd = open(area, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (n < 0) {
		return RESULT(-1);
	}
	return TOLD("read %zd", n);
}
PROGRAM(WRITFILE) { return RESULT(open(area, O_WRONLY | O_CREAT, 0600)); }
PROGRAM(APPEND) { return RESULT(open(area, O_RDWR | O_APPEND)); }
PROGRAM(LISTDIR)
{
	char text[1000];
	int fd = open(area, O_RDONLY | O_DIRECTORY);

	return RESULT(fd < 0 ? -1 : syscall(SYS_getdents64, fd, text, sizeof text));
}
PROGRAM(REMOVE) { return RESULT(unlink(area)); }
PROGRAM(CHMOD) { return RESULT(chmod(area, 0777)); }
PROGRAM(CUTFILE) { return RESULT(truncate(area, 0)); }
PROGRAM(CHDIR) { return RESULT(chdir("/")); }

/* Cuts, or fills with zero, every file and memory that it has a descriptor of. */
PROGRAM(CUTFDS)
{
	int fd, done = 0;

	for (fd = 3; fd < FDS; fd++) {
		done += ftruncate(fd, 0) == 0;
	}
	return TOLD("cut %d", done);
}

/* The network. */
PROGRAM(SOCKET) { return RESULT(socket(AF_INET, SOCK_STREAM, 0)); }
PROGRAM(UNIXSOCK) { return RESULT(socket(AF_UNIX, SOCK_STREAM, 0)); }

/* What is lying about. */
PROGRAM(ENVIRON)
{
	int n = 0;

	while (environ && environ[n]) {
		n++;
	}
	return TOLD("%d %s", n, getenv("HOSTILE_SECRET") ? "secret" : "none");
}
PROGRAM(OPENFDS)
{
	char text[200] = "";
	struct stat s;
	int fd;

	/* Files of the file system: the store's two may be there, no more. */
	for (fd = 3; fd < FDS; fd++) {
		if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_nlink > 0) {
			snprintf(text + strlen(text), sizeof text - strlen(text), "%d ", fd);
		}
	}
	return TOLD("%s", text);
}

/* Memory and descriptors. */
PROGRAM(HOARD)
{
	size_t mib = 0;
	char *block;

	while (mib < 1 << 16 && (block = malloc(1 << 20))) {
		memset(block, 1, 1 << 20);
		mib++;
	}
	return TOLD("%zu", mib);
}
PROGRAM(MAPHOARD)
{
	size_t mib = 0;

	while (mib < 1 << 16 && mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
		mib++;
	}
	return TOLD("%zu", mib);
}
/* Storage of the program, as WORKING-STORAGE is. */
static char big[BIG_MIB << 20];
PROGRAM(STAY)
{
	memset(big, 1, sizeof big);
	return TOLD("%d", getpid());
}
PROGRAM(LEAK)
{
	int n = 0;

	while (dup(1) >= 0) {
		n++;
	}
	return TOLD("%d", n);
}

/* Shared memory: the region's page, which every worker maps, filled as the
 * COMMAREA says. It is known by its size. */
enum { PAGE_BYTES = 12288 };
static void fill_pages(int how)
{
	uint64_t random = 88172645463325252u;
	struct stat s;
	int fd;
	off_t i;

	for (fd = 3; fd < FDS; fd++) {
		unsigned char *at;

		if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size != PAGE_BYTES) {
			continue;
		}
		at = mmap(NULL, s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at == MAP_FAILED) {
			continue;
		}
		for (i = 0; i < s.st_size; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			at[i] = how < 0 ? (unsigned char)random : (unsigned char)how;
		}
		munmap(at, s.st_size);
	}
}
PROGRAM(FILLPAGE)
{
	fill_pages(atoi(area));
	return TOLD("filled");
}
PROGRAM(FILLDIE)
{
	fill_pages(atoi(area));
	*(volatile int *)0 = 1;
	return 0;
}
PROGRAM(BELLS)
{
	uint64_t full = UINT64_MAX - 1;
	int fd, n = 0;

	for (fd = 3; fd < FDS; fd++) {
		struct stat s;
		/* Neither a file nor a socket: an eventfd. */
		if (fstat(fd, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISSOCK(s.st_mode)
			&& !S_ISFIFO(s.st_mode)) {
			n += write(fd, &full, 8) == 8;
		}
	}
	return TOLD("%s", n > 0 ? "filled" : "none");
}

/* Terminal sequences, other tasks' numbers, and no end. */
PROGRAM(PRINTRAW)
{
	static const char text[] = "999999 not mine\033[2J\r\0x\n";

	return RESULT((int)write(1, text, sizeof text - 1));
}
PROGRAM(FLOOD)
{
	int i;
	char line[3000];

	memset(line, 'x', sizeof line);
	line[sizeof line - 1] = '\n';
	for (i = 0; i < 20000; i++) {
		if (write(1, line, sizeof line) < 0) {
			poll(NULL, 0, 1);
		}
	}
	return TOLD("flooded");
}
