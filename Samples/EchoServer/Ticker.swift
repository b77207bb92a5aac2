import RingDispatch
import SampleSupport

/// Prints the traffic at an interval.
final class Ticker {
    private let timer: any DispatchSourceTimer
    private let ledger: Ledger
    private var last = Traffic()
    private var lastTime = DispatchTime.now()

    init(every span: TimeSpan, of ledger: Ledger) {
        self.ledger = ledger
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "echo-server.ticker"))
        timer.schedule(deadline: .now() + span.interval, repeating: span.interval)
        timer.setEventHandler { [weak self] in self?.tick() }
        timer.activate()
    }

    func stop() { timer.cancel() }

    private func tick() {
        let totals = ledger.totals
        let now = DispatchTime.now()
        let seconds =
            Double(now.uptimeNanoseconds - lastTime.uptimeNanoseconds) / 1_000_000_000
        let messages = Double(totals.traffic.messages - last.messages) / seconds
        let bytes = Double(totals.traffic.bytes - last.bytes) / seconds
        last = totals.traffic
        lastTime = now
        writeErrorLine(
            "\(totals.open) clients, \(Int(messages)) messages/s, \(Int(bytes)) bytes/s")
    }
}
