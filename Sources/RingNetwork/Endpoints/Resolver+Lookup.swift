internal import LinuxPlatform
internal import RingDispatch

extension Resolver {
    /// A lookup in progress.
    public final class Lookup: Sendable {
        let endpoint: Endpoint
        private let resolver: Resolver
        /// Belongs to the resolver's queue, if the endpoint has a name.
        private let state: Confined<State>

        private struct State {
            /// Called once with the answer; nil afterwards.
            var deliver: (@Sendable (Answer) -> Void)?
            var timer: DispatchScheduledItem?
        }

        init(
            _ resolver: Resolver, _ endpoint: Endpoint,
            deliver: @escaping @Sendable (Answer) -> Void
        ) {
            self.resolver = resolver
            self.endpoint = endpoint
            state = Confined(State(deliver: deliver))
        }

        /// Cancels the lookup: its completion receives the error `cancelled`, unless it was
        /// submitted already. From any thread.
        public func cancel() {
            guard case .host(let host, _) = endpoint else { return }
            resolver.queue.async { [self] in
                resolver.forget(self)
                finish(.failure(.cancelled(host)))
            }
        }

        /// Called once, by the maker.
        func start(timeout: DispatchTimeInterval) {
            guard case .host(let host, _) = endpoint else { return finish(.success([endpoint])) }
            let deadline = DispatchTime.now() + timeout
            resolver.queue.async { [self] in
                if isOver { return }
                guard resolver.admit(self) else { return finish(.failure(.tooMany(host))) }
                state.value.timer = resolver.queue.scheduleAfter(deadline: deadline) { [self] in
                    let hadItsTurn = !resolver.forget(self)
                    finish(.failure(.timedOut(host, hadItsTurn: hadItsTurn)))
                }
            }
        }

        /// On the queue.
        var isOver: Bool { state.value.deliver == nil }

        /// Delivers the answer, unless another was delivered before. On the queue.
        func finish(_ answer: Answer) {
            guard let deliver = state.value.deliver.take() else { return }
            state.value.timer?.cancel()
            state.value.timer = nil
            deliver(answer)
        }
    }
}
