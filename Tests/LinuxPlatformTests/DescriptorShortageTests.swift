import Glibc
import LinuxPlatform
import TestSupport
import Testing

@Suite("Without a free descriptor")
struct DescriptorShortageTests {
    @Test("The failures of timers name the remedy")
    func timers() async {
        await #expect(processExitsWith: .success) {
            let resource = __rlimit_resource_t(7)  // RLIMIT_NOFILE, whose enumerator is missing
            var before = rlimit()
            getrlimit(resource, &before)
            var none = rlimit(rlim_cur: 0, rlim_max: before.rlim_max)
            setrlimit(resource, &none)
            var remedies: [String?] = []
            do throws(SystemError) {
                _ = try TimerDescriptor()
            } catch {
                remedies.append(error.remedy)
            }
            do throws(SystemError) {
                _ = try StepDescriptor()
            } catch {
                remedies.append(error.remedy)
            }
            // A sanitizer opens files at exit.
            setrlimit(resource, &before)
            let areNamed = remedies.allSatisfy { $0?.contains("RLIMIT_NOFILE") == true }
            exit(remedies.count == 2 && areNamed ? 0 : 1)
        }
    }
}
