*> Free format: text starts at the margin.
01 FREE-RECORD.
  05 FREE-NAME PIC X(20). *> the name
  05 FREE-AMOUNT PIC S9(7)V99 COMP-3. 05 FREE-FLAG PIC X.
    88 FREE-FLAG-ON VALUE 'Y'.
  05 FREE-LIST OCCURS 2 TIMES
       PIC X(4).
