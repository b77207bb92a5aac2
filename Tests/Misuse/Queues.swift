// Blocks that share state with other threads do not compile.
import RingDispatch

final class Count { var value = 0 }

func blocks() {
    let count = Count()
    DispatchQueue.global().async { count.value += 1 }  // error
    DispatchQueue.global().asyncAfter(deadline: .now()) {
        count.value += 1  // error
    }
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
        count.value += 1  // error
    }
    var number = 0
    DispatchQueue.global().async { number += 1 }  // error
    number += 1
}
