extension Configuration {
  /// The names of the keys that differ and only count from the next start.
  package func keysThatNeedRestart(comparedWith new: Configuration) -> [String] {
    let comparisons: [(String, Bool)] = [
      ("app_id", applicationID == new.applicationID),
      ("ca_file", certificateAuthorityFile == new.certificateAuthorityFile),
      ("courier_socket", courierSocket == new.courierSocket),
      ("key_encryption_credential", keyEncryptionCredential == new.keyEncryptionCredential),
      ("platform", platform == new.platform && platforms == new.platforms),
      ("proxy", proxy == new.proxy),
      ("socket", socket == new.socket), ("socket_group", socketGroup == new.socketGroup),
      ("state_directory", stateDirectory == new.stateDirectory),
    ]
    return comparisons.filter { !$0.1 }.map(\.0)
  }

  /// The new configuration, but with the old values of what only counts from the next start.
  package func applying(_ new: Configuration) -> Configuration {
    var result = new
    (result.applicationID, result.certificateAuthorityFile) = (applicationID, certificateAuthorityFile)
    (result.courierSocket, result.keyEncryptionCredential) = (courierSocket, keyEncryptionCredential)
    (result.platform, result.platforms) = (platform, platforms)
    (result.proxy, result.socket, result.socketGroup) = (proxy, socket, socketGroup)
    result.stateDirectory = stateDirectory
    return result
  }
}
