//! Copybooks that CICS supplies and programs COPY without having them.
//!
//! Attention identifiers, map attributes and the EIB, with the values of the
//! public manuals; characters are those of the region's own code page.
//! Reference: CICS application programming, "DFHAID" and "DFHBMSCA"; the names
//! and, from DFHBLUE on, the values were compared with three public lists.

use std::borrow::Cow;

use crate::shipped;

/// The text of a supplied member in fixed format.
pub(crate) fn member(name: &str) -> Option<Cow<'static, str>> {
    let name = name.to_ascii_uppercase();
    let text = match name.as_str() {
        "DFHAID" => DFHAID,
        "DFHBMSCA" => DFHBMSCA,
        // The translator declares the EIB itself.
        "DFHEIBLK" | "DFHEIBLC" => "      *\n",
        _ => return shipped::member(&name),
    };
    Some(text.into())
}

const DFHAID: &str = r#"
       01  DFHAID.
           02  DFHNULL   PIC X VALUE X'00'.
           02  DFHENTER  PIC X VALUE "'".
           02  DFHCLEAR  PIC X VALUE '_'.
           02  DFHCLRP   PIC X VALUE X'A6'.
           02  DFHPEN    PIC X VALUE '='.
           02  DFHOPID   PIC X VALUE 'W'.
           02  DFHMSRE   PIC X VALUE 'X'.
           02  DFHSTRF   PIC X VALUE 'h'.
           02  DFHTRIG   PIC X VALUE '"'.
           02  DFHPA1    PIC X VALUE '%'.
           02  DFHPA2    PIC X VALUE '>'.
           02  DFHPA3    PIC X VALUE ','.
           02  DFHPF1    PIC X VALUE '1'.
           02  DFHPF2    PIC X VALUE '2'.
           02  DFHPF3    PIC X VALUE '3'.
           02  DFHPF4    PIC X VALUE '4'.
           02  DFHPF5    PIC X VALUE '5'.
           02  DFHPF6    PIC X VALUE '6'.
           02  DFHPF7    PIC X VALUE '7'.
           02  DFHPF8    PIC X VALUE '8'.
           02  DFHPF9    PIC X VALUE '9'.
           02  DFHPF10   PIC X VALUE ':'.
           02  DFHPF11   PIC X VALUE '#'.
           02  DFHPF12   PIC X VALUE '@'.
           02  DFHPF13   PIC X VALUE 'A'.
           02  DFHPF14   PIC X VALUE 'B'.
           02  DFHPF15   PIC X VALUE 'C'.
           02  DFHPF16   PIC X VALUE 'D'.
           02  DFHPF17   PIC X VALUE 'E'.
           02  DFHPF18   PIC X VALUE 'F'.
           02  DFHPF19   PIC X VALUE 'G'.
           02  DFHPF20   PIC X VALUE 'H'.
           02  DFHPF21   PIC X VALUE 'I'.
           02  DFHPF22   PIC X VALUE X'A2'.
           02  DFHPF23   PIC X VALUE '.'.
           02  DFHPF24   PIC X VALUE '<'.
"#;

const DFHBMSCA: &str = r#"
       01  DFHBMSCA.
           02  DFHBMPEM  PIC X VALUE X'19'.
           02  DFHBMPNL  PIC X VALUE X'15'.
           02  DFHBMPFF  PIC X VALUE X'0C'.
           02  DFHBMPCR  PIC X VALUE X'0D'.
           02  DFHBMASK  PIC X VALUE '0'.
           02  DFHBMUNP  PIC X VALUE ' '.
           02  DFHBMUNN  PIC X VALUE '&'.
           02  DFHBMPRO  PIC X VALUE '-'.
           02  DFHBMBRY  PIC X VALUE 'H'.
           02  DFHBMDAR  PIC X VALUE '<'.
           02  DFHBMFSE  PIC X VALUE 'A'.
           02  DFHBMPRF  PIC X VALUE '/'.
           02  DFHBMASF  PIC X VALUE '1'.
           02  DFHBMASB  PIC X VALUE '8'.
           02  DFHBMPSO  PIC X VALUE X'0E'.
           02  DFHBMPSI  PIC X VALUE X'0F'.
           02  DFHBMEOF  PIC X VALUE X'80'.
           02  DFHBMCUR  PIC X VALUE X'02'.
           02  DFHBMEC   PIC X VALUE X'82'.
           02  DFHBMFLG  PIC X VALUE X'00'.
               88  DFHERASE  VALUES ARE X'80' X'82'.
               88  DFHCURSR  VALUES ARE X'02' X'82'.
           02  DFHBMDET  PIC X VALUE X'FF'.
           02  DFHSA     PIC X VALUE X'28'.
           02  DFHCOLOR  PIC X VALUE X'42'.
           02  DFHPS     PIC X VALUE X'43'.
           02  DFHHLT    PIC X VALUE X'41'.
           02  DFH3270   PIC X VALUE X'C0'.
           02  DFHVAL    PIC X VALUE X'C1'.
           02  DFHOUTLN  PIC X VALUE X'C2'.
           02  DFHBKTRN  PIC X VALUE X'46'.
           02  DFHALL    PIC X VALUE X'00'.
           02  DFHERROR  PIC X VALUE X'3F'.
           02  DFHDFT    PIC X VALUE X'FF'.
           02  DFHDFCOL  PIC X VALUE X'00'.
           02  DFHBLUE   PIC X VALUE '1'.
           02  DFHRED    PIC X VALUE '2'.
           02  DFHPINK   PIC X VALUE '3'.
           02  DFHGREEN  PIC X VALUE '4'.
           02  DFHTURQ   PIC X VALUE '5'.
           02  DFHYELLO  PIC X VALUE '6'.
           02  DFHNEUTR  PIC X VALUE '7'.
           02  DFHBASE   PIC X VALUE X'00'.
           02  DFHDFHI   PIC X VALUE X'00'.
           02  DFHBLINK  PIC X VALUE '1'.
           02  DFHREVRS  PIC X VALUE '2'.
           02  DFHUNDLN  PIC X VALUE '4'.
           02  DFHMFIL   PIC X VALUE X'04'.
           02  DFHMENT   PIC X VALUE X'02'.
           02  DFHMFE    PIC X VALUE X'06'.
           02  DFHMT     PIC X VALUE X'01'.
           02  DFHMFT    PIC X VALUE X'05'.
           02  DFHMET    PIC X VALUE X'03'.
           02  DFHMFET   PIC X VALUE X'07'.
           02  DFHUNNOD  PIC X VALUE '('.
           02  DFHUNIMD  PIC X VALUE 'I'.
           02  DFHUNNUM  PIC X VALUE 'J'.
           02  DFHUNNUB  PIC X VALUE 'Q'.
           02  DFHUNINT  PIC X VALUE 'R'.
           02  DFHUNNON  PIC X VALUE ')'.
           02  DFHPROTI  PIC X VALUE 'Y'.
           02  DFHPROTN  PIC X VALUE '%'.
           02  DFHDFFR   PIC X VALUE X'00'.
           02  DFHUNDER  PIC X VALUE X'01'.
           02  DFHRIGHT  PIC X VALUE X'02'.
           02  DFHOVER   PIC X VALUE X'04'.
           02  DFHLEFT   PIC X VALUE X'08'.
           02  DFHBOX    PIC X VALUE X'0F'.
           02  DFHSOSI   PIC X VALUE X'01'.
           02  DFHTRANS  PIC X VALUE X'F0'.
           02  DFHOPAQ   PIC X VALUE X'FF'.
"#;
