// greeting.swift
// swift-format-ignore-file
@_cdecl("greeting_len")
public func greeting_len() -> Int32 {
    Int32(Array(message.utf8).count)
}

@_cdecl("greeting_byte")
public func greeting_byte(_ i: Int32) -> Int32 {
    Int32(Array(message.utf8)[Int(i)])
}

private let message = "Hello from version one"
