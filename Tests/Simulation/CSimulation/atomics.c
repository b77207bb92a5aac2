// Atomic operations: a step, and then the operation as a whole.
//
// As on x86 (total store order), a store that is not sequentially consistent waits in the thread's
// store buffer, where only the thread itself sees it. Stores leave the buffer in order: at random
// moments, and before the thread's next operation that serializes.
#include "simulation.h"

#include <malloc.h>
#include <string.h>

// The threads whose buffers are not empty.
static int threads_with_stores;
// Of 1000 steps, how many let a store leave.
static unsigned drain_chance = 1000;

void seed_stores(void) {
    static const unsigned chances[] = {1000, 300, 100, 30};
    drain_chance = chances[random_below(4)];
}

bool has_stores(const struct thread *thread) { return thread->store_count > 0; }

static void drain_one(struct thread *thread) {
    struct store *first = &thread->stores[0];
    memcpy(first->cell, &first->value, first->size);
    if (--thread->store_count == 0) threads_with_stores--;
    memmove(first, first + 1, sizeof *first * thread->store_count);
}

void drain_stores(void) {
    while (current_thread && current_thread->store_count > 0) drain_one(current_thread);
}

void drain_all_stores(void) {
    struct thread *thread;
    while ((thread = choose_thread(has_stores))) drain_one(thread);
}

void drain_at_random(void) {
    if (threads_with_stores == 0 || !chance(drain_chance)) return;
    struct thread *thread = choose_thread(has_stores);
    if (thread) drain_one(thread);
}

// The thread's last store to the cell that nobody else sees yet, or the cell.
static const void *newest(const void *cell) {
    struct thread *thread = current_thread;
    for (unsigned index = thread ? thread->store_count : 0; index-- > 0;) {
        if (thread->stores[index].cell == cell) return &thread->stores[index].value;
    }
    return cell;
}

void simulation_load(const void *cell, void *value, size_t size) {
    step("atomic");
    memcpy(value, newest(cell), size);
}

void simulation_store(void *cell, const void *value, size_t size, bool serializes) {
    step("atomic");
    struct thread *thread = current_thread;
    if (serializes || !thread || size > sizeof thread->stores[0].value) {
        drain_stores();
        memcpy(cell, value, size);
        return;
    }
    if (thread->store_count == MOST_STORES) drain_one(thread);
    if (thread->store_count == 0) threads_with_stores++;
    struct store *store = &thread->stores[thread->store_count++];
    *store = (struct store){.cell = cell, .size = size};
    memcpy(&store->value, value, size);
}

void simulation_exchange(void *cell, const void *desired, void *original, size_t size) {
    step("atomic");
    drain_stores();
    memcpy(original, cell, size);
    memcpy(cell, desired, size);
}

bool simulation_compare_exchange(
    void *cell, const void *expected, const void *desired, void *original, size_t size) {
    step("atomic");
    drain_stores();
    memcpy(original, cell, size);
    if (memcmp(cell, expected, size) != 0) return false;
    memcpy(cell, desired, size);
    return true;
}

// MARK: freed memory

static const char *freed;
static size_t freed_size;

static bool stores_to_freed(const struct thread *thread) {
    for (unsigned index = 0; index < thread->store_count; index++) {
        size_t offset = (size_t)((const char *)thread->stores[index].cell - freed);
        if (offset < freed_size) return true;
    }
    return false;
}

void __libc_free(void *memory);

// Stores to memory that is freed are made before another owner has it.
void free(void *memory) {
    if (threads_with_stores > 0 && memory) {
        freed = memory;
        freed_size = malloc_usable_size(memory);
        struct thread *thread;
        while ((thread = choose_thread(stores_to_freed))) drain_one(thread);
    }
    __libc_free(memory);
}
