internal import Configuration
internal import EventLoop
import Glibc
internal import UnixSockets

/// The program `mfad-courier`, apart from its entry.
package enum CourierProgram {
  private enum ExitCode {
    static let done: Int32 = 0
    static let failed: Int32 = 1
    static let wrongUsage: Int32 = 2
    static let badConfiguration: Int32 = 78
  }

  /// Runs the program until it has nothing to do any more and returns its exit code.
  package static func main(_ arguments: [String]) -> Int32 {
    let options: CourierOptions
    do throws(CourierUsageError) {
      options = try CourierOptions(parsing: arguments.dropFirst())
    } catch {
      complain("\(error)\nmfad-courier: hint: see \"mfad-courier --help\"")
      return ExitCode.wrongUsage
    }
    if options.wantsHelp { return say(CourierOptions.usage) }
    if options.wantsVersion { return say("mfad-courier \(CourierOptions.version)\n") }

    var activated: Descriptor?
    do throws(ActivatedSocket.Mismatch) {
      if case .socket = options.mode { activated = try ActivatedSocket.take() }
    } catch {
      complain("\(error)")
      return ExitCode.failed
    }
    Hardening.apply()
    do throws(ConfigurationError) {
      return run(CourierService(options, try options.loadConfiguration(), activated: activated))
    } catch {
      complain("\(error)")
      return ExitCode.badConfiguration
    }
  }

  private static func run(_ service: CourierService) -> Int32 {
    EventLoop.task { service.start() }
    EventLoop.run()
    return service.hasFailed ? ExitCode.failed : ExitCode.done
  }

  private static func say(_ text: String) -> Int32 {
    let bytes = Array(text.utf8)
    return write(STDOUT_FILENO, bytes, bytes.count) == bytes.count ? ExitCode.done : ExitCode.failed
  }

  private static func complain(_ text: String) {
    let bytes = Array("mfad-courier: error: \(text)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
