import COpenSSL

/// A list of OSSL_PARAM(3), which contains the addresses of names and values, not copies.
///
/// Names are static strings, so their addresses stay valid. The object keeps the values as secrets, which
/// are wiped with it.
final class Parameters {
  private var list: [OSSL_PARAM] = [OSSL_PARAM_construct_end()]
  private var values: [Secret] = []

  func add(_ name: StaticString, text: StaticString) {
    let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    add(Secret(copying: Array(text) + [0])) { value in
      // The length excludes the terminating zero.
      OSSL_PARAM_construct_utf8_string(Self.pointer(name), value.baseAddress, value.count - 1)
    }
  }

  func add(_ name: StaticString, bytes: Secret) {
    add(bytes) { OSSL_PARAM_construct_octet_string(Self.pointer(name), $0.baseAddress, $0.count) }
  }

  /// Adds a non-negative number, given with the most significant byte first.
  func add(_ name: StaticString, number: some BidirectionalCollection<UInt8>) {
    #if _endian(little)
      let native = Secret(copying: number.reversed())
    #else
      let native = Secret(copying: number)
    #endif
    add(native) { OSSL_PARAM_construct_BN(Self.pointer(name), $0.baseAddress, $0.count) }
  }

  /// Passes the list to the closure, which must not keep it.
  func withList<Value>(
    _ body: (UnsafeMutablePointer<OSSL_PARAM>?) throws(OpenSSLError) -> Value
  ) throws(OpenSSLError) -> Value {
    try list.withUnsafeMutableBufferPointer { list throws(OpenSSLError) in try body(list.baseAddress) }
  }

  private func add(_ value: Secret, _ make: (UnsafeMutableBufferPointer<UInt8>) -> OSSL_PARAM) {
    values.append(value)
    let parameter = value.withBuffer { bytes in
      // The library takes a mutable pointer, but only reads the value.
      make(UnsafeMutableBufferPointer(mutating: bytes))
    }
    list.insert(parameter, at: list.count - 1)
  }

  private static func pointer(_ name: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
