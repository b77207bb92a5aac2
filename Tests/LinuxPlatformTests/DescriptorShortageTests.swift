import Glibc
import LinuxPlatform
import TestSupport
import Testing

@Suite("Without a free descriptor")
struct DescriptorShortageTests {
    @Test("The failures of timers name the remedy")
    func timers() async {
        await #expect(processExitsWith: .success) {
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(7), &none)  // RLIMIT_NOFILE, whose enumerator is missing
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
            let areNamed = remedies.allSatisfy { $0?.contains("RLIMIT_NOFILE") == true }
            exit(remedies.count == 2 && areNamed ? 0 : 1)
        }
    }
}
