// Handlers of different queues that share state do not compile.
import RingDispatch
import RingNetwork

final class Count { var value = 0 }

func twoConnections(_ first: Connection, _ second: Connection) {
    let count = Count()
    first.setReceiveHandler { _, _ in count.value += 1 }  // error
    second.setReceiveHandler { _, _ in count.value += 1 }
}

func handlerAndCaller(_ listener: Listener) {
    let count = Count()
    listener.setConnectionHandler { _ in count.value += 1 }  // error
    count.value += 1
}

func allConnections(_ listener: Listener) {
    let count = Count()
    listener.setConnectionHandler { connection in
        connection.setReceiveHandler { _, _ in count.value += 1 }  // error
    }
}
