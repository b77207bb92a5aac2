extension Connection {
    /// Sends text as UTF-8, like bytes that are valid only during the call: from any thread; what
    /// the kernel has no room for is copied. Write the end of a line yourself: `"hello\n"`.
    public func send(_ text: String) {
        var text = text
        text.withUTF8 { send(UnsafeRawBufferPointer($0)) }
    }
}
