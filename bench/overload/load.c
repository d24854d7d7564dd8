/*
 * Offers HTTP requests at a fixed rate, whatever the server answers (an open loop). `wrk` and `load.mjs` send the next
 * request after the last answer, so they slow down with the server and cannot offer more than it serves.
 *
 *   load PORT PATH KEYS_FILE CONNECTIONS PATIENCE_MS RATE:SECONDS [RATE:SECONDS ...]
 *
 * KEYS_FILE has one key a line, which are used in turn; "-" sends no key. A request takes an idle connection, or opens
 * one; a client that waited for PATIENCE_MS closes its connection. Prints one line of JSON for each second:
 * offered, ok, refused (503), limited (429), other, lost (reset or closed), abandoned, unsent (no free connection),
 * opened, and p50 and p99 of the requests that were answered with 200 or 304, in milliseconds.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 18, HEAD_BYTES = 4096, KEY_BYTES = 128, SAMPLES = 1 << 20, EVENTS = 1024 };
enum state { CLOSED, CONNECTING, IDLE, WAITING };

struct connection {
  int fd;
  enum state state;
  double began;
  int status;       /* 0 until the status line was read */
  long left;        /* bytes of the answer that are still to come; -1 while its header is incomplete */
  int head_bytes;
  char head[HEAD_BYTES];
  int next_idle;
  int earlier, later; /* the list of waiting connections, oldest first */
};

struct second {
  long offered, ok, refused, limited, other, lost, abandoned, unsent, opened;
};

static struct connection *connections;
static int connections_max, first_idle = -1, first_closed = -1, oldest = -1, newest = -1, poll_fd;
static char (*keys)[KEY_BYTES];
static long keys_count, next_key;
static struct sockaddr_in server;
static const char *path;
static struct second now_counts;
static double samples[SAMPLES];
static long samples_count;
static char *buffer;

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void wait_in_list(int index) {
  connections[index].earlier = newest;
  connections[index].later = -1;
  if (newest == -1) oldest = index;
  else connections[newest].later = index;
  newest = index;
}

static void leave_list(int index) {
  struct connection *each = &connections[index];
  if (each->earlier == -1) oldest = each->later;
  else connections[each->earlier].later = each->later;
  if (each->later == -1) newest = each->earlier;
  else connections[each->later].earlier = each->earlier;
}

static void close_connection(int index) {
  struct connection *each = &connections[index];
  close(each->fd);
  each->state = CLOSED;
  each->next_idle = first_closed;
  first_closed = index;
}

/* The request of this connection failed. */
static void fail(int index, long *count) {
  leave_list(index);
  *count += 1;
  close_connection(index);
}

static void send_request(int index) {
  struct connection *each = &connections[index];
  char request[HEAD_BYTES];
  int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s%s\r\n", path,
                        keys_count == 0 ? "" : keys[next_key], keys_count == 0 ? "" : "\r\n");
  if (keys_count > 0) next_key = (next_key + 1) % keys_count;
  each->state = WAITING;
  each->status = 0;
  each->left = -1;
  each->head_bytes = 0;
  if (send(each->fd, request, length, MSG_NOSIGNAL) != length) fail(index, &now_counts.lost);
}

static void open_connection(int index) {
  struct connection *each = &connections[index];
  each->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  int on = 1;
  setsockopt(each->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  each->state = CONNECTING;
  now_counts.opened += 1;
  if (connect(each->fd, (struct sockaddr *)&server, sizeof server) != 0 && errno != EINPROGRESS)
    return fail(index, &now_counts.lost);
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.u32 = index};
  epoll_ctl(poll_fd, EPOLL_CTL_ADD, each->fd, &event);
}

static void offer(void) {
  now_counts.offered += 1;
  int index = first_idle;
  if (index != -1) {
    first_idle = connections[index].next_idle;
    connections[index].began = now_ms();
    wait_in_list(index);
    return send_request(index);
  }
  index = first_closed;
  if (index == -1) {
    now_counts.unsent += 1;
    return;
  }
  first_closed = connections[index].next_idle;
  connections[index].began = now_ms();
  wait_in_list(index);
  open_connection(index);
}

static void answered(int index, int is_last) {
  struct connection *each = &connections[index];
  leave_list(index);
  if (each->status == 200 || each->status == 304) {
    now_counts.ok += 1;
    if (samples_count < SAMPLES) samples[samples_count++] = now_ms() - each->began;
  } else if (each->status == 503) now_counts.refused += 1;
  else if (each->status == 429) now_counts.limited += 1;
  else now_counts.other += 1;
  if (is_last) return close_connection(index);
  each->state = IDLE;
  each->next_idle = first_idle;
  first_idle = index;
}

/* Reads `length` bytes of an answer. Returns whether the answer is complete. */
static int read_answer(struct connection *each, const char *bytes, long length) {
  if (each->left >= 0) {
    each->left -= length;
    return each->left <= 0;
  }
  long taken = length < HEAD_BYTES - 1 - each->head_bytes ? length : HEAD_BYTES - 1 - each->head_bytes;
  memcpy(each->head + each->head_bytes, bytes, taken);
  each->head[each->head_bytes + taken] = 0;
  char *end = strstr(each->head, "\r\n\r\n");
  long before = each->head_bytes;
  each->head_bytes += taken;
  if (end == NULL) return 0;
  each->status = atoi(each->head + 9);
  char *field = strcasestr(each->head, "\r\ncontent-length:");
  long body = field != NULL && field < end ? atol(field + 17) : 0;
  each->left = body - (before + length - (end + 4 - each->head));
  return each->left <= 0;
}

static void remove_idle(int index) {
  int *link = &first_idle;
  while (*link != index) link = &connections[*link].next_idle;
  *link = connections[index].next_idle;
}

static void lost(int index) {
  struct connection *each = &connections[index];
  if (each->state == IDLE) {
    remove_idle(index);
    close_connection(index);
  } else fail(index, &now_counts.lost);
}

static void readable(int index) {
  struct connection *each = &connections[index];
  for (;;) {
    long length = recv(each->fd, buffer, READ_BYTES, 0);
    if (length < 0 && errno == EAGAIN) return;
    if (length <= 0) return lost(index);
    if (each->state != WAITING) continue;
    if (read_answer(each, buffer, length)) {
      int is_last = strcasestr(each->head, "\r\nconnection: close") != NULL;
      answered(index, is_last);
      if (is_last) return;
    }
  }
}

static int by_value(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return difference < 0 ? -1 : difference > 0;
}

static void print_second(long number) {
  qsort(samples, samples_count, sizeof *samples, by_value);
  double p50 = samples_count == 0 ? 0 : samples[samples_count / 2];
  double p99 = samples_count == 0 ? 0 : samples[samples_count * 99 / 100];
  printf("{\"second\":%ld,\"offered\":%ld,\"ok\":%ld,\"refused\":%ld,\"limited\":%ld,\"other\":%ld,\"lost\":%ld,"
         "\"abandoned\":%ld,\"unsent\":%ld,\"opened\":%ld,\"p50\":%.1f,\"p99\":%.1f}\n",
         number, now_counts.offered, now_counts.ok, now_counts.refused, now_counts.limited, now_counts.other,
         now_counts.lost, now_counts.abandoned, now_counts.unsent, now_counts.opened, p50, p99);
  fflush(stdout);
  memset(&now_counts, 0, sizeof now_counts);
  samples_count = 0;
}

static void read_keys(const char *name) {
  FILE *file = fopen(name, "r");
  if (file == NULL) exit(2);
  char line[KEY_BYTES - 16];
  keys = malloc(1 << 23);
  while (fgets(line, sizeof line, file) != NULL && keys_count < (1 << 23) / KEY_BYTES) {
    line[strcspn(line, "\n")] = 0;
    snprintf(keys[keys_count++], KEY_BYTES, "X-API-Key: %s", line);
  }
  fclose(file);
}

static void handle_events(int wait_ms) {
  struct epoll_event events[EVENTS];
  int count = epoll_wait(poll_fd, events, EVENTS, wait_ms);
  for (int at = 0; at < count; at += 1) {
    int index = events[at].data.u32;
    struct connection *each = &connections[index];
    if (each->state == CLOSED) continue;
    if (each->state == CONNECTING) {
      if (events[at].events & (EPOLLERR | EPOLLHUP)) {
        lost(index);
        continue;
      }
      if (events[at].events & EPOLLOUT) send_request(index);
      continue;
    }
    if (events[at].events & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP)) readable(index);
  }
}

/* Offers `rate` a second for `seconds`, with random distances (a Poisson process). */
static void run_phase(double rate, double seconds, double patience_ms, double *next, long *second, double start) {
  double end = now_ms() + seconds * 1e3;
  if (*next < now_ms()) *next = now_ms();
  while (now_ms() < end) {
    double now = now_ms();
    for (int burst = 0; *next <= now && burst < 256; burst += 1) {
      offer();
      *next += -1e3 / rate * __builtin_log((random() + 1.0) / (RAND_MAX + 2.0));
    }
    while (oldest != -1 && connections[oldest].began + patience_ms < now) fail(oldest, &now_counts.abandoned);
    handle_events(*next > now_ms() + 1 ? 1 : 0);
    if (now_ms() - start >= (*second + 1) * 1e3) print_second((*second)++);
  }
}

int main(int count, char **arguments) {
  if (count < 7) return fprintf(stderr, "usage: see the first lines of load.c\n"), 2;
  server.sin_family = AF_INET;
  server.sin_port = htons(atoi(arguments[1]));
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  path = arguments[2];
  if (strcmp(arguments[3], "-") != 0) read_keys(arguments[3]);
  connections_max = atoi(arguments[4]);
  double patience_ms = atof(arguments[5]);
  struct rlimit files = {connections_max + 64, connections_max + 64};
  setrlimit(RLIMIT_NOFILE, &files);
  signal(SIGPIPE, SIG_IGN);
  buffer = malloc(READ_BYTES);
  poll_fd = epoll_create1(0);
  connections = calloc(connections_max, sizeof *connections);
  for (int index = connections_max - 1; index >= 0; index -= 1) {
    connections[index].next_idle = first_closed;
    first_closed = index;
  }
  double start = now_ms(), next = start;
  long second = 0;
  for (int at = 6; at < count; at += 1) {
    double rate, seconds;
    if (sscanf(arguments[at], "%lf:%lf", &rate, &seconds) != 2) return 2;
    run_phase(rate, seconds, patience_ms, &next, &second, start);
  }
  return 0;
}
