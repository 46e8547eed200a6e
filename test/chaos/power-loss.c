/*
 * Preloaded into a process, this keeps a second disk on which only what was flushed stands. POWER_LOSS_FOLDER is the folder that
 * is watched (one level), POWER_LOSS_SHADOW is where the second disk is kept:
 *
 *   <inode>.<generation>   the content of a file at its last fsync or fdatasync
 *   names                  which file had which name at the last fsync of the folder
 *
 * A write, a truncation, a new name or a removed one that was not flushed is not there after the power is gone; what is written
 * by pwrite or pwritev to a file that was opened with O_DSYNC is flushed by that. Other ways to flush (msync, sync_file_range, other
 * writes to such a file) count for nothing here: that can only find too much, never too little.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PLACE (2 * PATH_MAX)
#define REMOVED_MAX 4096

static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_unlink)(const char *);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static char folder[PATH_MAX];
static const char *shadow;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* An inode number is used again after a removal, while the old name may still stand on the second disk. */
static ino_t removed[REMOVED_MAX];
static int removals;

static void give_up(const char *what) {
  dprintf(2, "power-loss shim: %s: %s\n", what, strerror(errno));
  _exit(70);
}

__attribute__((constructor)) static void begin(void) {
  real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  real_unlink = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");
  real_pwrite = (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite64");
  real_pwritev = (ssize_t (*)(int, const struct iovec *, int, off_t))dlsym(RTLD_NEXT, "pwritev64");
  const char *watched = getenv("POWER_LOSS_FOLDER");
  shadow = getenv("POWER_LOSS_SHADOW");
  if (watched == NULL || shadow == NULL || realpath(watched, folder) == NULL) give_up("POWER_LOSS_FOLDER, POWER_LOSS_SHADOW");
}

static int generation(ino_t inode) {
  int n = 0;
  for (int i = 0; i < removals; i += 1) n += removed[i] == inode;
  return n;
}

static int is_watched(const char *path) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && path[length] == '/' && strchr(path + length + 1, '/') == NULL;
}

/*
 * Written over the old content and cut last: killed in between, each part is the old or the new one, as on a disk. Reads through
 * the caller's own descriptor: to close another one of the same file would drop the process's locks on it.
 */
static void keep_file(int fd, ino_t inode) {
  static char part[1 << 18];
  char place[PLACE];
  snprintf(place, sizeof place, "%s/%lu.%d", shadow, (unsigned long)inode, generation(inode));
  int out = open(place, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (out < 0) give_up(place);
  off_t at = 0;
  for (ssize_t got; (got = pread(fd, part, sizeof part, at)) != 0; at += got) {
    if (got < 0) give_up("read");
    for (ssize_t done = 0, put; done < got; done += put)
      if ((put = pwrite(out, part + done, (size_t)(got - done), at + done)) < 0) give_up("write");
  }
  if (ftruncate(out, at) != 0) give_up("truncate");
  close(out);
}

static void keep_names(void) {
  char place[PLACE], made[PLACE];
  snprintf(place, sizeof place, "%s/names", shadow);
  snprintf(made, sizeof made, "%s/names.new", shadow);
  FILE *out = fopen(made, "we");
  DIR *all = opendir(folder);
  if (out == NULL || all == NULL) give_up(made);
  for (struct dirent *one; (one = readdir(all)) != NULL;)
    if (one->d_type == DT_REG) fprintf(out, "%lu.%d %s\n", (unsigned long)one->d_ino, generation(one->d_ino), one->d_name);
  closedir(all);
  if (fclose(out) != 0 || rename(made, place) != 0) give_up(place);
}

static void keep(int fd) {
  char link[64], path[PATH_MAX];
  struct stat found;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0 || fstat(fd, &found) != 0) return;
  path[length] = '\0';
  pthread_mutex_lock(&turn);
  if (S_ISDIR(found.st_mode) && strcmp(path, folder) == 0) keep_names();
  else if (S_ISREG(found.st_mode) && found.st_nlink > 0 && is_watched(path)) keep_file(fd, found.st_ino);
  pthread_mutex_unlock(&turn);
}

int fsync(int fd) {
  keep(fd);
  return real_fsync(fd);
}

int fdatasync(int fd) {
  keep(fd);
  return real_fdatasync(fd);
}

static ssize_t after_write(int fd, ssize_t written) {
  int why = errno;
  int flags = fcntl(fd, F_GETFL);
  if (written >= 0 && flags >= 0 && (flags & O_DSYNC) != 0) keep(fd);
  errno = why;
  return written;
}

/* Off_t has 64 bits here, so that both names are one function. */
_Static_assert(sizeof(off_t) == 8, "off_t has 64 bits");

ssize_t pwrite(int fd, const void *from, size_t count, off_t at) { return after_write(fd, real_pwrite(fd, from, count, at)); }
ssize_t pwrite64(int fd, const void *from, size_t count, off_t at) { return pwrite(fd, from, count, at); }
ssize_t pwritev(int fd, const struct iovec *from, int count, off_t at) { return after_write(fd, real_pwritev(fd, from, count, at)); }
ssize_t pwritev64(int fd, const struct iovec *from, int count, off_t at) { return pwritev(fd, from, count, at); }

int unlink(const char *path) {
  struct stat found;
  pthread_mutex_lock(&turn);
  int is_ours = is_watched(path) && lstat(path, &found) == 0;
  int result = real_unlink(path);
  if (result == 0 && is_ours) {
    if (removals == REMOVED_MAX) give_up("too many removals");
    removed[removals++] = found.st_ino;
  }
  int why = errno;
  pthread_mutex_unlock(&turn);
  errno = why;
  return result;
}
