//! The sections, symbols and relocations of a cubin.

use object::elf;
use object::read::elf::{FileHeader, Rela, SectionHeader, SectionTable, Sym};
use object::{LittleEndian, StringTable};

type Header = elf::FileHeader64<LittleEndian>;
const ENDIAN: LittleEndian = LittleEndian;

/// The parts of the file that are used.
pub(crate) struct Elf<'a> {
    pub flags: u32,
    pub sections: Vec<Section<'a>>,
    pub symbols: Vec<Symbol>,
}

pub(crate) struct Section<'a> {
    pub name: String,
    /// Contents; empty if the file has none of its bytes.
    pub bytes: &'a [u8],
    /// Size in memory, in bytes.
    pub size: u64,
    pub relocations: Vec<Relocation>,
}

pub(crate) struct Symbol {
    pub name: String,
    pub section: u32,
    pub value: u64,
    pub size: u64,
    pub kind: SymbolKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SymbolKind {
    Function,
    Object,
    Other,
}

#[derive(Clone, Copy)]
pub(crate) struct Relocation {
    pub offset: u64,
    pub symbol: u32,
    pub kind: u32,
    pub addend: i64,
}

impl<'a> Elf<'a> {
    /// Errors: the bytes are no 64-bit ELF file of a GPU, or its tables contradict each other.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let said = |e: object::read::Error| e.to_string();
        let header = Header::parse(bytes).map_err(said)?;
        if header.e_machine(ENDIAN) != elf::EM_CUDA {
            return Err("its ELF header names another machine than a GPU of NVIDIA".to_owned());
        }
        let table = header.sections(ENDIAN, bytes).map_err(said)?;
        let mut sections = Vec::new();
        for section in table.iter() {
            sections.push(Section {
                name: String::from_utf8_lossy(table.section_name(ENDIAN, section).map_err(said)?).into_owned(),
                bytes: section.data(ENDIAN, bytes).map_err(said)?,
                size: section.sh_size(ENDIAN),
                relocations: Vec::new(),
            });
        }
        relocations(&table, bytes, &mut sections).map_err(said)?;
        let symbols = table.symbols(ENDIAN, bytes, elf::SHT_SYMTAB).map_err(said)?;
        let symbols = symbols.iter().map(|symbol| self::symbol(symbol, symbols.strings())).collect();
        Ok(Self { flags: header.e_flags(ENDIAN), sections, symbols })
    }

    pub(crate) fn section(&self, name: &str) -> Option<(u32, &Section<'a>)> {
        let at = self.sections.iter().position(|section| section.name == name)?;
        Some((at as u32, &self.sections[at]))
    }

    /// Returns the name of a symbol.
    pub(crate) fn name_of(&self, symbol: u32) -> &str {
        self.symbols.get(symbol as usize).map_or("", |symbol| &symbol.name)
    }
}

fn relocations<'a>(
    table: &SectionTable<'a, Header>,
    bytes: &'a [u8],
    sections: &mut [Section<'_>],
) -> Result<(), object::read::Error> {
    for section in table.iter() {
        let Some(target) = sections.get_mut(section.sh_info(ENDIAN) as usize) else { continue };
        if let Some((relocations, _)) = section.rela(ENDIAN, bytes)? {
            target.relocations.extend(relocations.iter().map(|relocation| Relocation {
                offset: relocation.r_offset(ENDIAN),
                symbol: relocation.r_sym(ENDIAN, false),
                kind: relocation.r_type(ENDIAN, false),
                addend: relocation.r_addend(ENDIAN),
            }));
        }
        if let Some((relocations, _)) = section.rel(ENDIAN, bytes)? {
            use object::read::elf::Rel;
            target.relocations.extend(relocations.iter().map(|relocation| Relocation {
                offset: relocation.r_offset(ENDIAN),
                symbol: relocation.r_sym(ENDIAN),
                kind: relocation.r_type(ENDIAN),
                addend: 0,
            }));
        }
    }
    Ok(())
}

fn symbol(symbol: &elf::Sym64<LittleEndian>, strings: StringTable<'_>) -> Symbol {
    let name = symbol.name(ENDIAN, strings).unwrap_or_default();
    Symbol {
        name: String::from_utf8_lossy(name).into_owned(),
        section: u32::from(symbol.st_shndx(ENDIAN)),
        value: symbol.st_value(ENDIAN),
        size: symbol.st_size(ENDIAN),
        kind: match symbol.st_type() {
            elf::STT_FUNC => SymbolKind::Function,
            elf::STT_OBJECT => SymbolKind::Object,
            _ => SymbolKind::Other,
        },
    }
}
