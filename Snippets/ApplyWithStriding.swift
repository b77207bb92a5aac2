// A parallel loop. Each iteration handles a block of elements, since one element is too little
// work.
import RingDispatch

func squares(upTo count: Int, stride: Int) -> [Int] {
    let strides = (count + stride - 1) / stride
    return [Int](unsafeUninitializedCapacity: count) { buffer, initializedCount in
        // Safety: each iteration writes its own elements, and the loop ends before this returns.
        nonisolated(unsafe) let buffer = buffer
        DispatchQueue.concurrentPerform(iterations: strides) { index in
            let first = index * stride
            for number in first..<min(first + stride, count) {
                buffer.initializeElement(at: number, to: number * number)
            }
        }
        initializedCount = count
    }
}

// snippet.hide
let numbers = squares(upTo: 10_007, stride: 256)
precondition(numbers.count == 10_007)
precondition(numbers.enumerated().allSatisfy { $1 == $0 * $0 })
print("the last of \(numbers.count) squares is \(numbers.last ?? 0)")
