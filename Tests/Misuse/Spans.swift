// Received bytes that outlive the handler's call do not compile.
import RingDispatch
import RingNetwork

func kept(_ connection: Connection) {
    var kept: RawSpan?
    connection.setReceiveHandler { _, bytes in kept = bytes }  // error
    _ = kept
}

func queued(_ connection: Connection) {
    connection.setReceiveHandler { connection, bytes in  // error
        DispatchQueue.global().async { print(bytes.byteCount) }
    }
}
