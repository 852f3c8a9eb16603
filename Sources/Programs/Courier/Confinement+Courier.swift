package import Configuration
package import Confinement
internal import Glibc

extension Confinement {
  /// What a courier needs: the network, its configuration, and the authorities that it trusts.
  ///
  /// It makes no Unix sockets: the daemon would take it for a client of its own user, and it was given the one that it
  /// speaks by. Name services that are asked by such a socket are not heard, and libc asks the next one.
  package static func courier(_ configuration: Configuration, file: String?, ownSocket: String? = nil)
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
