// Random allocations and frees with every byte checked: overlap, loss and misalignment show as
// changed bytes or as a count that is not zero.

private struct Block {
    var start: UnsafeMutableRawPointer
    var size: Int
    var mark: UInt8
}

private func fill(_ block: Block) {
    for index in 0..<block.size {
        block.start.storeBytes(
            of: block.mark &+ UInt8(truncatingIfNeeded: index), toByteOffset: index, as: UInt8.self)
    }
}

private func faults(_ block: Block) -> Int32 {
    for index in 0..<block.size {
        let found = block.start.load(fromByteOffset: index, as: UInt8.self)
        if found != block.mark &+ UInt8(truncatingIfNeeded: index) { return 1 }
    }
    return 0
}

/// The number of faults after `count` random operations with at most `live` blocks.
@_cdecl("program_allocator")
func programAllocator(_ seed: UInt64, _ count: Int32, _ live: Int32) -> Int32 {
    var numbers = ProgramNumbers(seed)
    var blocks: [Block] = []
    var bad: Int32 = 0
    for step in 0..<count {
        if blocks.count < Int(live), numbers.below(5) < 3 {
            // Sizes from nothing to some pages, small ones more often.
            let size = Int(truncatingIfNeeded: numbers.below(1 << numbers.below(16)))
            let alignment = 1 << Int(truncatingIfNeeded: numbers.below(9))
            let start = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: alignment)
            if UInt(bitPattern: start) % UInt(alignment) != 0 { bad += 1 }
            let block = Block(start: start, size: size, mark: UInt8(truncatingIfNeeded: step))
            fill(block)
            blocks.append(block)
        } else if !blocks.isEmpty {
            let index = Int(truncatingIfNeeded: numbers.below(UInt64(blocks.count)))
            bad += faults(blocks[index])
            blocks[index].start.deallocate()
            blocks[index] = blocks[blocks.count - 1]
            blocks.removeLast()
        }
    }
    for block in blocks {
        bad += faults(block)
        block.start.deallocate()
    }
    return bad
}
