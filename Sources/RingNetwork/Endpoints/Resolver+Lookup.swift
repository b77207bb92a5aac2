internal import LinuxPlatform
internal import RingDispatch

extension Resolver {
    /// A lookup in progress.
    public final class Lookup: Sendable {
        let endpoint: Endpoint
        private let resolver: Resolver
        /// Guards the steps from the start to the only answer. Not held while another lock is taken
        /// or the answer is delivered.
        private let state: Locked<State>

        private struct State: Sendable {
            /// Called once with the answer; nil afterwards.
            var deliver: (@Sendable (Answer) -> Void)?
            var timer: DispatchScheduledItem?
            var hadItsTurn = false
        }

        init(
            _ resolver: Resolver, _ endpoint: Endpoint,
            deliver: @escaping @Sendable (Answer) -> Void
        ) {
            self.resolver = resolver
            self.endpoint = endpoint
            state = Locked(State(deliver: deliver))
        }

        /// Cancels the lookup: its completion receives the error `cancelled`, unless it was
        /// submitted already. From any thread.
        public func cancel() {
            guard case .host(let host, _) = endpoint else { return }
            if finish(.failure(.cancelled(host))) { resolver.forget(self) }
        }

        /// Called once, by the maker.
        func start(timeout: DispatchTimeInterval) {
            guard case .host(let host, _) = endpoint else {
                finish(.success([endpoint]))
                return
            }
            guard state.withLock({ $0.deliver != nil }) else { return }
            guard resolver.admit(self) else {
                finish(.failure(.tooMany(host)))
                return
            }
            setTimer(timeout, host)
            // The lookup was cancelled before `admit` queued it, so `cancel` did not find it in the
            // queue.
            if state.withLock({ $0.deliver == nil }) { resolver.forget(self) }
        }

        private func setTimer(_ timeout: DispatchTimeInterval, _ host: HostName) {
            let timer = DispatchQueue.global().scheduleAfter(deadline: .now() + timeout) { [self] in
                let hadItsTurn = state.withLock { $0.hadItsTurn }
                let error = ResolverError.timedOut(host, hadItsTurn: hadItsTurn)
                if finish(.failure(error)) { resolver.forget(self) }
            }
            let isNeeded = state.withLock { state -> Bool in
                if state.deliver != nil { state.timer = timer }
                return state.deliver != nil
            }
            if !isNeeded { timer.cancel() }
        }

        /// The host to resolve; nil if the lookup has ended.
        func beginTurn() -> HostName? {
            guard case .host(let host, _) = endpoint else { return nil }
            let isNeeded = state.withLock { state -> Bool in
                state.hadItsTurn = true
                return state.deliver != nil
            }
            return isNeeded ? host : nil
        }

        /// Delivers the answer, unless another was delivered before. Returns whether it was
        /// delivered.
        @discardableResult
        func finish(_ answer: Answer) -> Bool {
            let (deliver, timer) = state.withLock { state in
                defer { (state.deliver, state.timer) = (nil, nil) }
                return (state.deliver, state.timer)
            }
            timer?.cancel()
            deliver?(answer)
            return deliver != nil
        }
    }
}
