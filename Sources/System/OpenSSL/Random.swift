import COpenSSL

/// Returns `count` random bytes that need not be secret, such as nonces and identifiers.
public func randomBytes(_ count: Int) throws(OpenSSLError) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  try bytes.withUnsafeMutableBufferPointer { room throws(OpenSSLError) in
    try check("RAND_bytes_ex", RAND_bytes_ex(nil, room.baseAddress, count, 0))
  }
  return bytes
}
