internal import CLinux
public import Configuration
public import Confinement
internal import EventLoop
internal import Glibc
internal import UnixSockets
internal import Usage

/// The program `mfad-courier`, apart from its entry.
public enum CourierProgram {
  private enum ExitCode {
    static let done: Int32 = 0
    static let failed: Int32 = 1
    static let badConfiguration: Int32 = 78
  }

  private static let usage = CourierOptions.usage

  /// Runs the program until it has nothing to do any more and returns its exit code.
  public static func main(_ arguments: [String]) -> Int32 {
    CourierOptions.run(arguments, run)
  }

  private static func run(_ options: CourierOptions) -> Int32 {
    var activated: Descriptor?
    do throws(ActivatedSocket.Mismatch) {
      if case .socket = options.mode { activated = try ActivatedSocket.take() }
    } catch {
      usage.complain("\(error)")
      return ExitCode.failed
    }
    CourierHardening.apply()
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

/// What the process gives up before it reads anything from anybody.
enum CourierHardening {
  /// Passwords and tokens pass through here: no core file and no debugger may show them.
  static func apply() {
    _ = clinux_forbid_dumps()
    clinux_die_silently()
    _ = clinux_forbid_new_privileges()
    // Proxies, key logs, resolver options and configuration of the libraries: none of them is ours to obey.
    clearenv()
    umask(0o077)
  }
}

extension Confinement {
  /// What a courier needs: the network, its configuration, and the authorities that it trusts.
  ///
  /// It makes no Unix sockets: the daemon would take it for a client of its own user, and it was given the one that it
  /// speaks by. Name services that are asked by such a socket are not heard, and libc asks the next one.
  public static func courier(_ configuration: Configuration, file: String?, ownSocket: String? = nil)
    -> Confinement
  {
    // The files themselves: what else lies beside them may be the daemon's.
    let own = [file, configuration.certificateAuthorityFile].compactMap(\.self).map { FileRule($0, .read) }
    // A socket that nobody else opened for it is taken away at its end.
    let socket = ownSocket.map { FileRule.around($0, .remove) }
    return Confinement(
      files: FileRule.system + FileRule.resolver + FileRule.devices + FileRule.authorities + own
        + [socket].compactMap(\.self),
      families: [AF_INET, AF_INET6]
    )
  }
}
