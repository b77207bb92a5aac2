import Dispatch
import Glibc

// Every call of GCD on channels, data and signal sources. Compiled, never run.

func channels(_ queue: DispatchQueue) -> DispatchIO? {
    let channel = DispatchIO(type: .stream, fileDescriptor: 0, queue: queue) { error in
        print(error)
    }
    let same = DispatchIO(type: .random, io: channel, queue: queue, cleanupHandler: { _ in })
    channel.setLimit(lowWater: 1)
    channel.setLimit(highWater: .max)
    channel.setInterval(interval: .milliseconds(10))
    channel.setInterval(interval: .seconds(1), flags: [.strictInterval])
    channel.read(offset: 0, length: Int.max, queue: queue) { done, data, error in
        if let data, error == 0 { print(data.count, done) }
    }
    channel.write(offset: 0, data: .empty, queue: queue) { done, _, error in print(done, error) }
    channel.barrier { print(channel.fileDescriptor) }
    same.close(flags: .stop)
    channel.close()
    return DispatchIO(
        type: .stream, path: "/etc/passwd", oflag: O_RDONLY, mode: 0, queue: queue,
        cleanupHandler: { _ in })
}

func conveniences(_ queue: DispatchQueue) {
    DispatchIO.read(fromFileDescriptor: 0, maxLength: 10, runningHandlerOn: queue) { data, error in
        print(data.count, error)
    }
    DispatchIO.write(toFileDescriptor: 1, data: .empty, runningHandlerOn: queue) { data, error in
        print(data?.count ?? 0, error)
    }
}

func bytes(_ array: [UInt8]) -> Int {
    var data = array.withUnsafeBytes { DispatchData(bytes: $0) }
    data.append(data)
    array.withUnsafeBytes { data.append($0) }
    array.withUnsafeBufferPointer { data.append($0) }
    var copy = [UInt8](repeating: 0, count: data.count)
    _ = copy.withUnsafeMutableBufferPointer { data.copyBytes(to: $0) }
    copy.withUnsafeMutableBytes { data.copyBytes(to: $0, count: 2) }
    copy.withUnsafeMutableBytes { data.copyBytes(to: $0, from: 0..<2) }
    var sum = 0
    for byte in data { sum += Int(byte) }
    data.enumerateBytes { (region, index, stop) in
        sum += region.count + index
        stop = true
    }
    data.withUnsafeBytes { (pointer: UnsafePointer<UInt8>) in sum += Int(pointer.pointee) }
    let part = data.subdata(in: 0..<2)
    let (region, offset) = part.region(location: 1)
    let slice = data[1..<3]
    return sum + region.count + offset + slice.count + Int(data[0]) + data.endIndex
}

func signals(_ queue: DispatchQueue) -> DispatchSourceSignal {
    signal(SIGHUP, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: queue)
    source.setEventHandler { print("reload") }
    source.resume()
    return DispatchSource.makeSignalSource(signal: SIGTERM)
}

#if !LIBDISPATCH
func watches(_ descriptor: Int32, _ process: pid_t) -> [DispatchSourceProtocol] {
    let file = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .delete, .rename], queue: .main)
    file.setEventHandler { [unowned file] in
        if file.data.contains(.delete) { file.cancel() }
    }
    let child = DispatchSource.makeProcessSource(identifier: process, eventMask: .exit)
    child.setEventHandler { print(child.data.contains(.exit), child.handle, child.mask) }
    return [file, child]
}
#endif
