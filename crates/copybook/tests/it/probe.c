/*
 * Called by the probe programs of the layout test: prints where an item is.
 * Arguments: the record, the item, and a tag of 16 characters that ends the
 * line's key. libcob knows the attributes of the arguments of a CALL.
 */
#include <stdio.h>
#include <libcob.h>

int PROBE(char *record, char *item, char *tag)
{
	printf("%.16s %ld %d %d %d %d %d\n", tag, (long)(item - record),
	       cob_get_param_size(2), cob_get_param_type(2),
	       cob_get_param_digits(2), cob_get_param_scale(2),
	       cob_get_param_sign(2));
	return 0;
}
