// Goroutines that block in nanosleep(2), and meanwhile an unrelated one every millisecond.
package main

import (
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const count = 200

var started, blocked atomic.Int64

func block(duration time.Duration) *sync.WaitGroup {
	var group sync.WaitGroup
	for i := 0; i < count; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			started.Add(1)
			blocked.Add(1)
			time := syscall.NsecToTimespec(int64(duration))
			syscall.Nanosleep(&time, nil)
			blocked.Add(-1)
		}()
	}
	return &group
}

func main() {
	start := time.Now()
	block(100 * time.Millisecond).Wait()
	fmt.Println("blocked_200_us", time.Since(start).Microseconds())
	group := block(time.Second)
	for started.Load() < 2*count {
		time.Sleep(time.Millisecond)
	}
	var waits []float64
	for len(waits) == 0 || blocked.Load() == count {
		start := time.Now()
		ended := make(chan struct{})
		go func() { close(ended) }()
		<-ended
		waits = append(waits, time.Since(start).Seconds()*1e6)
		time.Sleep(time.Millisecond)
	}
	group.Wait()
	sort.Float64s(waits)
	fmt.Println("beside_p50_us", waits[len(waits)/2])
	fmt.Println("beside_p99_us", waits[len(waits)*99/100])
}
