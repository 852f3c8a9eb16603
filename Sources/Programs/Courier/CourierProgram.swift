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
    static let wrongUsage: Int32 = 2
    static let badConfiguration: Int32 = 78
  }

  private static let usage = CourierOptions.usage

  /// Runs the program until it has nothing to do any more and returns its exit code.
  package static func main(_ arguments: [String]) -> Int32 {
    let options: CourierOptions
    do throws(UsageError) {
      options = try CourierOptions(parsing: arguments.dropFirst())
    } catch {
      usage.complain(error)
      return ExitCode.wrongUsage
    }
    if options.wantsHelp { return usage.say(usage.help) }
    if options.wantsVersion { return usage.say("mfad-courier \(Version.text)\n") }

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
      return ExitCode.badConfiguration
    }
  }

  private static func run(_ service: CourierService) -> Int32 {
    EventLoop.task { service.start() }
    EventLoop.run()
    return service.hasFailed ? ExitCode.failed : ExitCode.done
  }
}
