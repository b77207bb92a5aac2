internal import Glibc

/// A file descriptor that is closed when its owner is destroyed.
package struct OwnedDescriptor: ~Copyable {
    package let number: Int32

    package init(adopting number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }
}
