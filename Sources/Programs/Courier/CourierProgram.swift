internal import Configuration
internal import EventLoop
import Glibc
internal import UnixSockets
internal import Usage

/// The program `mfad-courier`, apart from its entry.
package enum CourierProgram {
  private enum ExitCode {
    static let done: Int32 = 0
    static let failed: Int32 = 1
    static let badConfiguration: Int32 = 78
  }

  private static let usage = CourierOptions.usage

  /// Runs the program until it has nothing to do any more and returns its exit code.
  package static func main(_ arguments: [String]) -> Int32 {
    usage.run(arguments, run)
  }

  private static func run(_ options: CourierOptions) -> Int32 {
    var activated: Descriptor?
    do throws(ActivatedSocket.Mismatch) {
      if case .socket = options.mode { activated = try ActivatedSocket.take() }
    } catch {
      usage.complain("\(error)")
      return ExitCode.failed
    }
    Hardening.apply()
    do throws(ConfigurationError) {
      return run(CourierService(options, try options.loadConfiguration(), activated: activated))
    } catch {
      usage.complain("\(error)")
      // Whoever waits in a socket of the service manager would only be met by the next courier, and the next, until the
      // service manager gives the socket up for good.
      guard let activated else { return ExitCode.badConfiguration }
      return run(CourierService(options, without: error, activated: activated))
    }
  }

  private static func run(_ service: CourierService) -> Int32 {
    EventLoop.task { service.start() }
    EventLoop.run()
    return service.hasFailed ? ExitCode.failed : ExitCode.done
  }
}
