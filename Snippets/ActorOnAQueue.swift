// An actor on a serial queue: its methods and the queue's items run one after the other.
import RingDispatch

actor Account {
    let queue = DispatchSerialQueue(label: "account")
    private(set) var balance = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func deposit(_ amount: Int) { balance += amount }
}

let account = Account()
await account.deposit(100)

// An item of the queue may use the actor's state, without `await`.
account.queue.sync {
    account.assumeIsolated { $0.deposit(20) }
}
print("balance:", await account.balance)

// snippet.hide
let balance = await account.balance
precondition(balance == 120)
