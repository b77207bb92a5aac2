// Sends its one client a line for each change in a folder: the minimal cost of a line over TCP. One
// thread that sleeps in poll; no scan, no subfolders, no history.
//
// inotify-lines FOLDER --port P
#define _GNU_SOURCE
#include "peer.h"
#include <inttypes.h>
#include <poll.h>
#include <sys/inotify.h>

enum { BATCH_BYTES = 65536, LINE_BYTES = 1024 };

static void report(int client, const char *folder, const struct inotify_event *event) {
    static uint64_t sequence;
    char line[LINE_BYTES];
    uint64_t microseconds = clock_nanoseconds(CLOCK_REALTIME) / 1000;
    int count = snprintf(
        line, sizeof line,
        "{\"sequence\":%" PRIu64 ",\"time\":%" PRIu64 ".%06" PRIu64
        ",\"event\":\"modified\",\"path\":\"%s/%s\",\"kind\":\"file\"}\n",
        ++sequence, microseconds / 1000000, microseconds % 1000000, folder,
        event->len > 0 ? event->name : "");
    if (client >= 0) send(client, line, (size_t)count, MSG_NOSIGNAL);
}

int main(int count, char **arguments) {
    CHECK(count > 1, "inotify-lines FOLDER --port P");
    int inotify = inotify_init1(IN_CLOEXEC);
    CHECK(inotify >= 0, "inotify_init1");
    CHECK(inotify_add_watch(inotify, arguments[1], IN_MODIFY) >= 0, "inotify_add_watch");
    int listener = listen_and_announce((int)option(count, arguments, "--port", 0), SOCK_CLOEXEC);
    int client = -1;
    struct pollfd watched[] = {
        {.fd = inotify, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
    for (;;) {
        CHECK(poll(watched, 2, -1) > 0 || errno == EINTR, "poll");
        if (watched[1].revents != 0) {
            if (client >= 0) close(client);
            client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
            CHECK(client >= 0, "accept4");
            set_no_delay(client);
        }
        if (watched[0].revents == 0) continue;
        static char batch[BATCH_BYTES] __attribute__((aligned(8)));
        ssize_t size = read(inotify, batch, sizeof batch);
        CHECK(size > 0, "read");
        for (ssize_t place = 0; place < size;) {
            const struct inotify_event *event = (const void *)(batch + place);
            report(client, arguments[1], event);
            place += (ssize_t)(sizeof *event + event->len);
        }
    }
}
