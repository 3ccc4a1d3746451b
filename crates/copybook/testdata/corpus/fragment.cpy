           05  FR-RETURN-CODE            PIC S9(8) COMP.
           05  FR-REASON                 PIC X(8).
           05  FR-LIST OCCURS 3 TIMES.
               10  FR-ENTRY              PIC X(4).
